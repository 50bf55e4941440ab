"""A register of people who do not exist: many columns that depend on one another."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from paretonym.datasets.drawing import Draw, column, falling, peaks, scattered, shares, turned
from paretonym.errors import JobError

EDITION = 1  # raise it with every change of what equal arguments give

SEXES = ("f", "m")
COUNTRIES = ("AA", "BA", "BE", "BO", "CA", "CE", "CI", "DA", "DE", "DO", "EA", "EE", "EI", "FA")
EDUCATION = ("none", "primary", "lower", "upper", "vocational", "bachelor", "master", "doctorate")
MARITAL = ("single", "married", "partnership", "separated", "divorced", "widowed")
INCOME = tuple(f"b{band:02}" for band in range(1, 17))
HOUSING = ("own house", "own flat", "cooperative", "private rent", "social rent", "institution")
DIAGNOSES = tuple(f"{letter}{half}" for letter in "ABCDEFGHIJ" for half in "04")
TOWNS = tuple(
    f"{region}{province}{district}{town:02}"
    for region in range(8)
    for province in range(1, 5)
    for district in range(1, 4)
    for town in range(11, 15)
)
JOBS = tuple(f"{a}{b}{c}{d}" for a in range(1, 10) for b in "123" for c in "12" for d in "123")
INDUSTRIES = tuple(f"{division:02}{group}" for division in range(1, 37) for group in "12")


def made_up(rows: int, seed: int) -> pa.Table:
    """As many people, twelve columns that may be known of each and a diagnosis, all text.

    Age, town and education are behind the rest. Who does not work has neither occupation nor
    industry: an empty cell. Columns are dictionary-encoded; equal arguments give equal tables.
    """
    if rows < 0:
        raise JobError(f"a table cannot have {rows} rows; ask for none or more")
    draw = Draw(rows, seed)
    age = draw(np.interp(np.arange(100), (0, 20, 35, 55, 75, 99), (10, 11, 14, 15, 9, 0.1)))
    sex = draw(np.array([[48.8, 51.2], [58, 42]]), age >= 75)
    town = draw(falling(len(TOWNS))[scattered(len(TOWNS))])
    city = (scattered(len(TOWNS)) < 12)[town]

    abroad = draw(shares([0.04, 0.1, 0.12, 0.3]), 2 * city + (age >= 20)) == 1
    born = np.where(abroad, 1 + draw(turned(13, 8), town // 48), 0)
    settled = draw(shares([0.2, 0.6]), age >= 45) == 1
    citizen = np.where(abroad & ~settled, born, 0)

    # children are at school; among adults the young and those in cities studied longer
    schooling = np.array([2, 3, 8, 22, 30, 20, 13, 2], float)
    leaning = np.array([np.linspace(6 - tilt, 1 + tilt, 8) for tilt in range(5)])
    adult = draw(schooling * leaning, (age < 55) + 1 * (age < 35) + 1 * city + ~abroad)
    education = np.where(age < 20, np.clip((age - 1) // 5, 0, 3), adult)

    share_at_work = [0.0, 0.35, 0.7, 0.85, 0.1, 0.0]
    stage = np.searchsorted((16, 22, 30, 62, 72), age, side="right")
    works = draw(shares(share_at_work), stage) == 1
    major = draw(peaks([8, 8, 7, 6, 5, 2, 1, 0], 9, 0.8), education)
    job = draw(turned(18, 2), sex) + 18 * major
    industry = draw(turned(len(INDUSTRIES), 9), major)

    marital = draw(
        np.array(
            [[1, 0, 0, 0, 0, 0], [80, 10, 9, 0.5, 0.5, 0], [35, 44, 11, 3, 7, 0.3],
             [14, 58, 5, 4, 17, 2], [6, 54, 1, 2, 11, 26]]
        ),
        np.searchsorted((18, 28, 40, 65), age, side="right"),
    )  # fmt: skip
    home = np.where(age < 18, 2, np.isin(marital, (1, 2)) * 1)
    household = draw(peaks([0, 2, 3], 9, 0.8), np.where((home == 1) & (age >= 60), 0, home))
    household = np.where((home == 1) & (household == 0), 1, household)
    band = draw(peaks(range(1, 15), 16, 0.8), education + 4 * works + 1 * (sex == 1) + city)
    housing = draw(
        np.array([[20, 12, 8, 25, 33, 2], [38, 20, 9, 21, 10, 2], [55, 27, 6, 11, 0.5, 0.5],
                  [3, 14, 12, 38, 32, 1], [8, 30, 14, 35, 12, 1], [22, 50, 8, 19, 0.5, 0.5]]),
        3 * city + np.minimum(band // 5, 2),
    )  # fmt: skip
    diagnosis = draw(turned(len(DIAGNOSES), 10), 2 * np.minimum(age // 20, 4) + sex)

    return pa.table(
        {
            "age": column(age, [str(year) for year in range(100)]),
            "sex": column(sex, SEXES),
            "municipality": column(town, TOWNS),
            "nationality": column(citizen, COUNTRIES),
            "birth_country": column(born, COUNTRIES),
            "marital_status": column(marital, MARITAL),
            "education": column(education, EDUCATION),
            "occupation": column(np.where(works, 1 + job, 0), ("", *JOBS)),
            "industry": column(np.where(works, 1 + industry, 0), ("", *INDUSTRIES)),
            "household_size": column(household, [str(size) for size in range(1, 10)]),
            "income_band": column(band, INCOME),
            "housing": column(housing, HOUSING),
            "diagnosis": column(diagnosis, DIAGNOSES),
        }
    )
