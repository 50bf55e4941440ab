"""What attribute-oriented granulation prints of its running example, and the rules under which it
is searched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from paretonym.papers.aog.facts import CodeFacts, LogicFacts, Rows

TAU = (1, 3, 2)  # mm/yy, two digits of the ZIP, I10: the granulation of section 3.2
PARENTS = ("01011010", "00100101")  # section 4.3, cut after three bits
FIG_8 = ("0100111001", "1000100111")  # cut after five bits; after three and seven


def _cells(text: str) -> Rows:
    return tuple(tuple(line.split()) for line in text.strip().splitlines())


FIGURE_1 = _cells("""
u1 24/09/56 24126 161 400K 1
u2 06/09/56 24129 167 300K 1
u3 30/09/56 24133 163 300K 1
u4 23/03/56 10427 160 300K 0
u5 18/03/56 10431 165 100K 2
u6 05/03/56 10466 168 100K 2
u7 20/04/55 26015 175 400K 2
u8 18/04/55 26032 170 300K 1
u9 09/04/55 26617 173 100K 0
u10 01/04/55 26628 171 400K 0
u11 23/04/55 26328 176 400K 0
""")
FIGURE_2 = _cells("""
1 09/56 24*** [160,170) 400K 1
2 09/56 24*** [160,170) 300K 1
3 09/56 24*** [160,170) 300K 1
4 03/56 10*** [160,170) 300K 0
5 03/56 10*** [160,170) 100K 2
6 03/56 10*** [160,170) 100K 2
7 04/55 26*** [170,180) 400K 2
8 04/55 26*** [170,180) 300K 1
9 04/55 26*** [170,180) 100K 0
10 04/55 26*** [170,180) 400K 0
11 04/55 26*** [170,180) 400K 0
""")
FIGURE_4 = _cells("""
1 24/09/56 24129 164 400K 1
2 24/09/56 24129 164 300K 1
3 24/09/56 24129 164 300K 1
4 18/03/56 10431 164 300K 0
5 18/03/56 10431 164 100K 2
6 18/03/56 10431 164 100K 2
7 18/04/55 26617 173 400K 2
8 18/04/55 26617 173 300K 1
9 18/04/55 26617 173 100K 0
10 18/04/55 26617 173 400K 0
11 18/04/55 26617 173 400K 0
""")

_THREE = (("u1", "u2", "u3"), ("u4", "u5", "u6"), ("u7", "u8", "u9", "u10", "u11"))
LOGIC = LogicFacts(
    ind=_THREE,
    ind_of={"birth": _THREE, "zip": _THREE, "height": ((*_THREE[0], *_THREE[1]), _THREE[2])},
    certain={"health = 2": (), "health = 1": _THREE[0]},
    is_secure_for_all=True,
    is_secure_for_u1=False,
)
CODES = CodeFacts(
    decoded=(1, 3, 2),
    second_parent=None,
    offspring=("01000101", "00111010"),
    offspring_decoded=((1, 0, 5), (0, 7, 2)),
    repaired=("01000000", "00001010"),
    one_point=("1000111001", "0100100111"),
    two_points=("1000100001", "0100111111"),
)


@dataclass(frozen=True, slots=True)
class Secrecy:
    """A bundled job, and the rules it is put under; rules as a job file writes them."""

    title: str
    job: str
    rules: tuple[Mapping[str, str], ...]


EXAMPLE = "granulation/job.yaml"
HEALTH_1_OF_U1 = Secrecy(
    "Health 1 of u1 secret",
    EXAMPLE,
    ({"say": "health = 1", "for": "birth = '24/09/56' and zip = 24126 and height = 161"},),
)
HEALTH_2 = Secrecy("Health 2 secret", EXAMPLE, ({"say": "health = 2"},))
HEALTH_ANY = Secrecy(
    "every Health secret",
    EXAMPLE,
    tuple({"say": f"health = {value}"} for value in range(3)),
)
ADULT = Secrecy(
    "Adult, three rules",
    "adult/job.yaml",
    (
        {"say": "occupation in {Priv-house-serv, Handlers-cleaners, Other-service}"},
        {"say": "occupation != Exec-managerial and occupation != Prof-specialty"},
        {"say": "occupation = Adm-clerical", "for": "sex = Female", "damage": "2"},
    ),
)
