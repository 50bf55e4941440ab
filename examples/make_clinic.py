"""Makes the table of clinic.yaml: 2,000 patients who do not exist, the same ones each time.

    python examples/make_clinic.py [FOLDER]

writes clinic.csv and clinic-season.csv, byte for byte those of this folder.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

ROWS = 2_000
YEAR = 2024  # of the visits

HEADER = (
    "name", "age", "postcode", "sex", "occupation", "insurance", "visit",
    "diagnosis", "income", "sick_days",
)  # fmt: skip

FIRST = {
    "f": "Ada Anna Beate Carla Clara Dora Edith Elena Emma Eva Frida Greta Hanna Helga Ida Ines "
    "Irma Jana Julia Karin Klara Lea Lena Lina Maria Marta Mila Nina Nora Olga Paula Petra Rita "
    "Rosa Ruth Sara Sofia Tanja Thea Vera",
    "m": "Adam Alan Anton Bela Boris Bruno Carl David Emil Erik Felix Finn Georg Hans Hugo Igor "
    "Ivan Jakob Jan Jonas Karl Leo Liam Luis Marek Mark Max Mika Nils Noah Omar Oskar Otto Paul "
    "Peter Pavel Simon Theo Tom Viktor",
}
LAST = (
    "Adler Arndt Bauer Beck Berg Braun Busch Cerny Dietz Dubois Ebert Engel Fabian Falk Fiala "
    "Frank Fuchs Gabor Geiger Graf Haas Hahn Hartl Heller Herman Horvat Huber Jansen Kaiser Keller "
    "Kern Klein Koch Kovac Kraus Lang Lehner Lorenz Maier Marek Moser Nagy Novak Peters Pichler "
    "Pohl Popov Reiter Richter Roth Sauer Schmid Simko Sommer Stark Steiner Szabo Toth Urban Vogel "
    "Wagner Weber Weiss Winter Wolf Zeman"
)

# occupation: how frequent, usual income a year, share of women
OCCUPATIONS = {
    "bus driver": (60, 27_000, 0.2),
    "lorry driver": (70, 26_000, 0.1),
    "train driver": (30, 34_000, 0.15),
    "cleaner": (110, 16_000, 0.75),
    "cook": (90, 19_000, 0.4),
    "waiter": (90, 16_000, 0.6),
    "builder": (120, 25_000, 0.05),
    "electrician": (90, 29_000, 0.1),
    "mechanic": (90, 27_000, 0.1),
    "nurse": (150, 31_000, 0.8),
    "carer": (130, 23_000, 0.8),
    "physician": (50, 72_000, 0.5),
    "teacher": (140, 41_000, 0.7),
    "kindergarten teacher": (80, 27_000, 0.9),
    "clerk": (200, 30_000, 0.65),
    "accountant": (90, 43_000, 0.5),
    "lawyer": (40, 64_000, 0.45),
    "engineer": (130, 52_000, 0.25),
    "sales assistant": (170, 20_000, 0.7),
    "estate agent": (40, 45_000, 0.45),
}

# diagnosis: how frequent, usual days of sick leave
DIAGNOSES = {
    "infection": (260, 6),
    "back pain": (240, 14),
    "hypertension": (220, 4),
    "allergy": (150, 3),
    "asthma": (120, 8),
    "diabetes": (140, 9),
    "fracture": (110, 30),
    "migraine": (110, 7),
    "gastritis": (110, 5),
    "heart disease": (100, 25),
    "arthrosis": (110, 18),
    "skin disease": (100, 3),
    "thyroid disease": (80, 4),
    "depression": (70, 35),
    "epilepsy": (32, 12),
    "sleep apnoea": (45, 6),
    "alcohol dependence": (22, 32),
    "opioid dependence": (6, 40),
    "HIV": (9, 8),
    "schizophrenia": (7, 50),
}

TOWNS = {  # postcode: how frequent
    "3100": 210, "3101": 160, "3102": 120, "3104": 90, "3107": 60, "3200": 120, "3203": 90,
    "3205": 60, "3310": 80, "3312": 50,
    "4010": 170, "4012": 120, "4015": 80, "4120": 90, "4121": 60, "4125": 40,
    "5020": 110, "5023": 70, "5030": 50, "5112": 60, "5114": 40,
}  # fmt: skip
HOME = "3109"  # a residential home that treats dependence, with a postcode of its own
RESIDENTS = 12
FUNDS = {"regional fund": 1_050, "company fund": 420, "guild fund": 230, "private": 300}
DRIVERS = ("bus driver", "lorry driver", "train driver")


class Draw:
    """Chance, from `random()` alone: Python promises its sequence for a seed."""

    def __init__(self, seed: int) -> None:
        self._next = random.Random(seed).random  # noqa: S311

    def below(self, share: float) -> bool:
        return self._next() < share

    def whole(self, least: int, most: int) -> int:
        return least + int(self._next() * (most - least + 1))

    def one(self, values: Sequence[str]) -> str:
        return values[self.whole(0, len(values) - 1)]

    def weighted(self, weights: dict[str, float]) -> str:
        point = self._next() * sum(weights.values())
        for value, weight in weights.items():
            point -= weight
            if point < 0:
                return value
        return value

    def hump(self) -> float:
        """Around 1, mostly between 0.6 and 1.4."""
        return 0.4 + 0.4 * (self._next() + self._next() + self._next())


def patient(draw: Draw, *, is_resident: bool) -> tuple[str, ...]:
    occupation = draw.weighted({name: share for name, (share, _, _) in OCCUPATIONS.items()})
    _, usual, women = OCCUPATIONS[occupation]
    sex = "f" if draw.below(women) else "m"
    age = draw.whole(20, 69)
    visit = date(YEAR, 1, 1) + timedelta(draw.whole(0, 365))
    if is_resident:
        postcode, diagnosis = HOME, draw.one(["alcohol dependence", "opioid dependence"])
        fund, income = "regional fund", usual * 0.5
    else:
        postcode = draw.weighted(TOWNS)
        diagnosis = draw.weighted(_likely(age, sex, occupation, visit))
        income = usual * draw.hump() * (1 + 0.008 * (age - 40))
        fund = draw.weighted(FUNDS | {"private": 900 if usual > 40_000 else 150})
    days = DIAGNOSES[diagnosis][1] * draw.hump() * draw.hump()
    name = f"{draw.one(FIRST[sex].split())} {draw.one(LAST.split())}"
    return (
        name, str(age), postcode, sex, occupation, fund, visit.isoformat(),
        diagnosis, str(round(income / 500) * 500), str(int(days)),
    )  # fmt: skip


def _likely(age: int, sex: str, occupation: str, visit: date) -> dict[str, float]:
    """How frequent each diagnosis is among people like this."""
    found = {name: float(share) for name, (share, _) in DIAGNOSES.items()}
    for name in ("hypertension", "diabetes", "heart disease", "arthrosis", "sleep apnoea"):
        found[name] *= max(age - 18, 2) / 25
    for name in ("infection", "asthma", "allergy"):
        found[name] *= 1.6 if visit.month in (1, 2, 3, 11, 12) else 0.8
    if sex == "f":
        found["migraine"] *= 2
        found["thyroid disease"] *= 2
    if occupation in DRIVERS:
        found["sleep apnoea"] *= 2
        found["back pain"] *= 1.5
    if occupation in ("waiter", "cook", "builder"):
        found["alcohol dependence"] *= 1.5
    return found


def season(day: date) -> str:
    return ("winter", "spring", "summer", "autumn")[day.month % 12 // 3]


def write(folder: Path, *, seed: int = 4) -> None:
    draw = Draw(seed)
    rows = [patient(draw, is_resident=number < RESIDENTS) for number in range(ROWS)]
    rows.sort(key=lambda row: (row[6], row[0]))  # as the clinic's book lists them: by day of visit
    with (folder / "clinic.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])
    days = (date(YEAR, 1, 1) + timedelta(number) for number in range(366))
    lines = "".join(f"{day.isoformat()};{season(day)};*\n" for day in days)
    (folder / "clinic-season.csv").write_text(lines, encoding="utf-8", newline="")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
