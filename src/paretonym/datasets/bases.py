"""People who do not exist, with the areas that they work in; some areas have a military base.

The shape is that of a census file: a work area is a region and a number, and only an occupation
says who is a soldier. Soldiers are young, mostly men, work long hours, live near by and walk, and
earn alike. Most of them work at one of eight bases, the others are spread over all areas. Near
some universities students walk to work as well, but they work few hours and earn little.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from paretonym.datasets.drawing import Draw, column, peaks, shares
from paretonym.errors import JobError
from paretonym.model.arrays import Flags, Floats, Ints

EDITION = 1  # raise it with every change of what equal arguments give

REGIONS = ("east", "north", "south")
AREAS_A_REGION = 24
BASES = (3, 3, 2)  # in each region
_AREAS = len(REGIONS) * AREAS_A_REGION

SEXES = ("f", "m")
EDUCATION = ("none", "school", "training", "college", "university", "doctorate")
MARITAL = ("single", "married", "separated", "divorced", "widowed")
COMMUTE = ("", "car", "public", "walked", "bicycle", "home")
_CAR, _WALKED, _BICYCLE, _HOME = 1, 3, 4, 5
HOURS = ("", "8", "12", "16", "20", "25", "30", "35", "38", "40", "42", "45", "48", "50", "55",
         "60", "65", "70", "80")  # fmt: skip
JOBS = tuple(f"{major}{minor}" for major in range(11, 54, 2) for minor in ("1010", "2020", "9090"))
SOLDIERS = ("551010", "552010", "553010", "559830")
_YOUNGEST, _OLDEST = 16, 90


def base_areas(seed: int) -> tuple[str, ...]:
    """The areas with a base in `bases(rows, seed)`, labelled as region and number."""
    return tuple(f"{REGIONS[place // AREAS_A_REGION]}-{_number(place)}" for place in _Plan(seed).at)


def _number(place: int) -> str:
    return f"{place % AREAS_A_REGION + 1:02}"


class _Plan:
    """Where things are; drawn before the people, from the same seed."""

    def __init__(self, seed: int) -> None:
        rng = np.random.Generator(np.random.PCG64([seed, 1]))
        chosen = np.argsort(rng.random((len(REGIONS), AREAS_A_REGION)), axis=1)
        places = chosen + AREAS_A_REGION * np.arange(len(REGIONS))[:, None]
        self.at: Ints = np.sort(
            np.concatenate([line[:count] for line, count in zip(places, BASES, strict=True)])
        )
        self.universities: Ints = places[:, max(BASES)]
        self.size: Floats = 0.4 + 1.2 * rng.random(_AREAS)
        self.staff: Floats = 0.3 + 1.4 * rng.random(len(self.at))


def bases(rows: int, seed: int) -> pa.Table:
    """As many people from 16 on, all text; equal arguments give equal tables.

    Who does not work has neither hours nor a work area: empty cells. Columns are
    dictionary-encoded.
    """
    if rows < 0:
        raise JobError(f"a table cannot have {rows} rows; ask for none or more")
    draw, plan = Draw(rows, seed), _Plan(seed)
    soldier = draw(shares([0.045])) == 1
    age = _YOUNGEST + draw(_ages(), soldier)
    sex = draw(shares([0.49, 0.86]), soldier)
    stage = np.searchsorted((18, 25, 60, 68), age, side="right")
    works = soldier | (draw(shares([0.2, 0.62, 0.82, 0.5, 0.06]), stage) == 1)

    at_base = soldier & (draw(shares([0.55])) == 1)
    area = np.where(at_base, plan.at[draw(plan.staff)], draw(plan.size))
    studies = draw(shares([0.35, 0.9]), np.isin(area, plan.universities)) == 1
    student = studies & works & ~soldier & (age < 25)

    schooling = np.where(soldier, 0, np.minimum(age // 18, 3))
    education = draw(peaks([1, 2, 3, 4], 6, 1.2), schooling)
    marital = draw(
        np.array([[92, 7, 0.5, 0.4, 0.1], [48, 46, 2, 4, 0.2], [20, 62, 3, 13, 2],
                  [8, 58, 2, 12, 20]]),
        np.searchsorted((25, 35, 60), age, side="right"),
    )  # fmt: skip
    # by kind of worker: civilians, students, soldiers
    kind = student + 2 * soldier
    hours = 1 + draw(peaks([8, 3, 12], 18, 1.6), kind)
    commute = 1 + draw(
        np.array([[78, 10, 4, 2, 6], [38, 24, 26, 10, 2], [52, 3, 36, 8, 1]], float), kind
    )
    minutes = _minutes(draw, commute, soldier)
    departure = draw(peaks([7, 9, 5], 24, 1.0), kind)
    income = _income(draw, works, education, kind)
    job = np.where(
        soldier, len(JOBS) + draw(np.array([15, 20, 50, 15.0])), draw(np.ones(len(JOBS)))
    )

    at_work = np.where(works, 1, 0)
    away = works & (commute != _HOME)
    return pa.table(
        {
            "age": column(age, [str(year) for year in range(_OLDEST)]),
            "sex": column(sex, SEXES),
            "education": column(education, EDUCATION),
            "marital": column(marital, MARITAL),
            "occupation": column(at_work * (1 + job), ("", *JOBS, *SOLDIERS)),
            "work_region": column(at_work * (1 + area // AREAS_A_REGION), ("", *REGIONS)),
            "work_area": column(
                at_work * (1 + area % AREAS_A_REGION), ("", *map(_number, range(AREAS_A_REGION)))
            ),
            "hours": column(at_work * hours, HOURS),
            "commute": column(at_work * commute, COMMUTE),
            "minutes": column(away * (1 + minutes), ("", *map(str, range(1, 121)))),
            "departure": column(away * (1 + departure), ("", *map(str, range(24)))),
            "income": column(income, [str(500 * step) for step in range(400)]),
            "weight": column(draw(peaks([6], 20, 4.0)), [str(10 + step) for step in range(20)]),
        }
    )


def _ages() -> Floats:
    """Of civilians and of soldiers."""
    years = np.arange(_YOUNGEST, _OLDEST)
    civil = np.interp(years, (16, 25, 55, 75, 89), (13, 16, 16, 9, 1))
    return np.array([civil, np.interp(years, (17, 18, 23, 34, 45, 46), (0, 8, 9, 3, 1, 0))])


def _minutes(draw: Draw, commute: Ints, soldier: Flags) -> Ints:
    """From home to work, less 1: short on foot, longest by public transport."""
    tops = [24, 39, 9, 14, 0, 14, 29, 7, 9, 0]
    return draw(peaks(tops, 120, 8.0), commute - 1 + 5 * soldier)


def _income(draw: Draw, works: Flags, education: Ints, kind: Ints) -> Ints:
    """Steps of 500 a year."""
    tops = [14, *(40 + 22 * level for level in range(6)), 12, 62]
    line = np.where(works, 1 + education, 0)
    line = np.where(kind == 1, 7, np.where(kind == 2, 8, line))
    wide = peaks(tops, 400, 18.0)
    wide[8] = peaks([62], 400, 8.0)
    return draw(wide, line)
