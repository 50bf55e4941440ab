"""What Tavrov and Chertov 2016 prints of its attack, and the signals of Chertov and Tavrov 2017 on
which outliers can be checked.
"""

from __future__ import annotations

from paretonym.groups.adequacy import Adequacy
from paretonym.groups.rules import Rule
from paretonym.model.fuzzy import FuzzyKind, FuzzyValue, Variable
from paretonym.papers.attack.facts import PrintedAdequacy, StateRow

ALPHA = 0.01
AUXILIARY_RECORDS, AUXILIARY_MEMBERS = 3_205_478, 14_263  # on which the rules of Table 5 stand


def _is(*codes: int) -> tuple[FuzzyKind, tuple[str, ...]]:
    return "is", tuple(map(str, codes))


def _pi(*knots: float) -> tuple[FuzzyKind, tuple[str, ...]]:
    return "pi", tuple(map(str, knots))


def _gauss(width: float, centre: float) -> tuple[FuzzyKind, tuple[str, ...]]:
    return "gauss", (str(width), str(centre))


def _trapezoid(*knots: float) -> tuple[FuzzyKind, tuple[str, ...]]:
    return "trapezoid", tuple(map(str, knots))


_WORDS: dict[str, dict[str, tuple[FuzzyKind, tuple[str, ...]]]] = {  # L1 to L12, in their order
    "age": {
        "young": _pi(7.05, 15.40, 22.50, 27.18),
        "middle aged 1": _gauss(2.0, 27.5),
        "middle aged 2": _gauss(2.0, 32.5),
        "middle aged 3": _gauss(2.0, 37.5),
        "old": _pi(37.85, 42.50, 47.51, 54.84),
    },
    "education": {"low": _trapezoid(1, 1, 8, 10), "high": _trapezoid(8, 10, 11, 11)},
    "sex": {"male": _is(1), "female": _is(2)},
    "race": {"white": _is(1), "black": _is(2)},
    "hours": {
        "low": _pi(0.0, 0.0, 29.9, 40.3),
        "medium": _gauss(2.5, 40.0),
        "high": _pi(40.2, 50.1, 100.0, 100.0),
    },
    "Hispanic": {"not Hispanic": _is(0), "Hispanic": _is(*range(1, 10))},
    "marital status": {"married": _is(1, 2), "not married": _is(3, 4, 5, 6)},
    "transport": {
        "car": _is(*range(21)),
        "public": _is(*range(30, 37)),
        "walked": _is(*range(40, 51)),
    },
    "departure": {
        "leaves at night": _pi(1, 1, 530, 630),
        "leaves in the morning": _pi(530, 630, 800, 900),
        "leaves by day": _pi(800, 900, 2359, 2359),
    },
    "travel time": {
        "little travel": _pi(1, 1, 10, 15),
        "medium travel": _pi(10, 15, 30, 45),
        "much travel": _pi(35, 45, 120, 120),
    },
    "weeks": {
        "abnormal weeks": _trapezoid(1, 1, 5, 6),
        "normal weeks": _trapezoid(5, 6, 6, 6),
    },
    "income": {
        "low": _pi(0, 0, 9000, 12000),
        "medium": _pi(9000, 12000, 70000, 90000),
        "high": _pi(70000, 90000, 200000, 200000),
    },
}
VARIABLES = tuple(
    Variable(column, tuple(FuzzyValue(name, *meaning) for name, meaning in words.items()))
    for column, words in _WORDS.items()
)

# Table 5: values, DF, RCF, support
RULES = (
    Rule((1, 0, 0, 0, 0, 0, 2, 3, 1, 1, 0, 2), 0.032, 0.755, 0.032),
    Rule((1, 0, 0, 0, 3, 0, 0, 3, 1, 0, 0, 0), 0.031, 0.787, 0.031),
    Rule((1, 0, 0, 0, 3, 1, 0, 3, 0, 0, 2, 1), 0.012, 0.801, 0.012),
    Rule((1, 0, 0, 1, 0, 1, 0, 3, 1, 1, 1, 2), 0.01, 0.781, 0.01),
    Rule((1, 0, 0, 1, 3, 0, 0, 3, 0, 0, 2, 1), 0.012, 0.851, 0.012),
    Rule((1, 0, 1, 0, 0, 0, 0, 3, 1, 1, 0, 2), 0.034, 0.84, 0.034),
    Rule((1, 0, 1, 0, 0, 0, 2, 3, 1, 1, 2, 0), 0.025, 0.765, 0.025),
    Rule((1, 0, 1, 0, 3, 0, 2, 3, 2, 0, 0, 1), 0.018, 0.931, 0.018),
    Rule((1, 0, 1, 0, 3, 1, 0, 3, 2, 0, 0, 1), 0.017, 0.915, 0.018),
    Rule((1, 0, 1, 1, 0, 0, 0, 3, 1, 1, 2, 0), 0.025, 0.754, 0.026),
    Rule((1, 0, 1, 1, 0, 0, 2, 3, 1, 0, 0, 2), 0.032, 0.751, 0.032),
    Rule((1, 1, 0, 0, 3, 0, 2, 3, 2, 1, 0, 1), 0.018, 0.951, 0.018),
    Rule((1, 1, 0, 0, 3, 1, 0, 3, 2, 0, 0, 1), 0.019, 0.767, 0.019),
    Rule((1, 1, 1, 0, 3, 0, 0, 3, 2, 0, 2, 1), 0.009, 1.876, 0.009),
    Rule((1, 1, 1, 0, 3, 0, 0, 3, 2, 1, 1, 1), 0.008, 0.761, 0.009),
    Rule((1, 1, 1, 0, 3, 0, 2, 3, 0, 1, 2, 1), 0.01, 1.325, 0.01),
    Rule((1, 1, 1, 0, 3, 0, 2, 3, 2, 1, 2, 0), 0.026, 0.767, 0.026),
    Rule((1, 2, 1, 0, 0, 0, 0, 3, 1, 0, 0, 2), 0.002, 0.914, 0.002),
)  # fmt: skip

TABLE_6 = (
    StateRow("Alabama", 4, 3, 1, 0),
    StateRow("Alaska", 2, 0, 2, 0),
    StateRow("Arizona", 4, 1, 3, 0),
    StateRow("California", 4, 0, 4, 0),
    StateRow("Colorado", 2, 0, 2, 0),
    StateRow("Connecticut", 1, 0, 1, 0),
    StateRow("Florida", 7, 4, 4, 1),
    StateRow("Georgia", 5, 1, 5, 1),
    StateRow("Hawaii", 1, 0, 1, 0),
    StateRow("Illinois", 2, 1, 1, 0),
    StateRow("Kansas", 3, 2, 1, 0),
    StateRow("Kentucky", 2, 0, 2, 0),
    StateRow("Louisiana", 4, 2, 2, 0),
    StateRow("Maryland", 2, 1, 1, 0),
    StateRow("Mississippi", 2, 1, 1, 0),
    StateRow("Missouri", 2, 1, 1, 0),
    StateRow("New Jersey", 3, 1, 2, 0),
    StateRow("New York", 2, 0, 2, 0),
    StateRow("North Carolina", 4, 2, 2, 0),
    StateRow("Ohio", 4, 3, 1, 0),
    StateRow("Oklahoma", 3, 2, 1, 0),
    StateRow("Pennsylvania", 4, 2, 4, 2),
    StateRow("Rhode Island", 1, 0, 1, 0),
    StateRow("South Carolina", 6, 1, 5, 0),
    StateRow("Tennessee", 3, 3, 0, 0),
    StateRow("Texas", 7, 2, 5, 0),
    StateRow("Virginia", 9, 3, 6, 0),
    StateRow("Washington", 5, 2, 3, 0),
)  # fmt: skip
TOTAL_6 = StateRow("Total", 98, 38, 64, 4)

TABLE_7 = (
    StateRow("Alabama", 2, 2, 1, 1),
    StateRow("Alaska", 2, 0, 2, 0),
    StateRow("Arizona", 4, 1, 4, 1),
    StateRow("California", 3, 1, 2, 0),
    StateRow("Colorado", 2, 0, 2, 0),
    StateRow("Connecticut", 1, 0, 2, 1),
    StateRow("Florida", 7, 5, 3, 1),
    StateRow("Georgia", 7, 3, 4, 0),
    StateRow("Hawaii", 1, 0, 1, 0),
    StateRow("Illinois", 2, 1, 2, 1),
    StateRow("Kansas", 2, 2, 0, 0),
    StateRow("Kentucky", 2, 1, 1, 0),
    StateRow("Louisiana", 4, 4, 0, 0),
    StateRow("Maryland", 3, 2, 1, 0),
    StateRow("Mississippi", 1, 0, 1, 0),
    StateRow("Missouri", 2, 2, 0, 0),
    StateRow("Nevada", 1, 0, 1, 0),
    StateRow("New Jersey", 2, 2, 0, 0),
    StateRow("New Mexico", 2, 2, 0, 0),
    StateRow("New York", 2, 0, 2, 0),
    StateRow("North Carolina", 3, 1, 2, 0),
    StateRow("Ohio", 2, 1, 3, 2),
    StateRow("Oklahoma", 3, 2, 1, 0),
    StateRow("South Carolina", 4, 1, 3, 0),
    StateRow("Texas", 6, 1, 5, 0),
    StateRow("Virginia", 7, 4, 4, 1),
    StateRow("Washington", 4, 1, 3, 0),
)  # fmt: skip
TOTAL_7 = StateRow("Total", 81, 39, 50, 8)

# the confusion matrices, a true outlier that was not found being a false negative here
MATRIX_6, TESTS_6 = Adequacy(tp=60, fp=4, fn=38, tn=785), PrintedAdequacy(0.953, 0.891, 98.047)
MATRIX_7, TESTS_7 = Adequacy(tp=42, fp=8, fn=39, tn=564), PrintedAdequacy(0.930, 0.775, 55.067)

# Chertov and Tavrov 2017, Table 3: quantity signals, and their outliers counted from 1
_TABLE_3 = """
2 2 1 7 14 1 14 0 5 0 2 8 0 1 1 1 4 11 1 9 0 3 2 3 2 0 3 0 13 0 4 14 4 5 23 7 12 6: 35
2 1 1 5 15 1 13 0 4 0 2 8 0 1 1 1 4 11 1 7 0 4 2 4 3 0 5 1 12 0 4 13 4 7 21 7 13 7: 35
2 2 1 3 14 1 11 0 4 0 3 9 0 1 1 1 4 11 1 7 0 3 2 5 3 0 4 0 9 0 4 10 4 7 29 7 13 9: 35
1 2 3 3 13 1 10 1 6 1 3 10 0 0 1 3 5 6 2 2 0 2 1 1 3 0 3 2 8 1 8 8 14 3 29 7 12 10: 35
1 1 2 0 11 1 10 0 6 0 4 9 0 1 1 1 5 8 3 5 0 4 0 0 2 1 4 2 10 0 7 7 8 4 30 7 15 15: 35 37 38
0 0 1 1 11 1 11 0 5 0 3 12 0 1 2 1 6 7 2 5 0 2 1 2 1 1 2 3 10 0 7 4 11 2 32 8 18 12: 35 37
1 0 1 1 10 1 12 0 6 0 4 12 0 1 2 1 6 8 2 6 0 2 1 2 2 1 2 2 8 0 6 4 10 2 33 8 17 11: 7 12 35 37
0 0 1 1 7 1 8 0 9 0 2 17 1 0 0 5 3 6 4 5 0 0 4 7 0 0 2 1 11 1 5 3 14 2 38 6 12 9: 12 33 35
1 1 2 0 8 1 11 0 9 0 5 11 0 1 2 1 5 10 3 5 0 2 0 0 1 1 3 2 8 0 7 6 11 3 28 8 17 12: 35 37
0 4 1 7 10 2 16 1 8 0 7 11 1 2 1 1 3 6 1 5 1 5 1 1 1 1 1 2 9 0 6 2 9 1 29 5 13 11: 7 35 37
0 2 3 6 10 2 12 2 7 0 2 11 1 1 1 2 3 6 3 6 0 2 1 1 4 0 1 0 7 1 6 3 7 5 29 6 16 16: 7 35 37 38
2 1 1 6 9 1 15 0 5 0 3 8 0 0 1 1 4 7 1 5 0 5 1 6 2 1 6 0 7 0 5 13 5 5 28 7 13 11: 7 32 35 37
1 2 4 5 9 1 10 1 6 1 4 10 0 0 1 3 6 6 2 2 0 0 1 2 4 0 4 3 8 1 6 5 15 5 27 7 14 9: 33 35 37
0 0 1 8 8 1 14 0 6 1 2 11 2 3 2 2 3 7 2 5 0 0 0 2 0 0 1 4 12 1 9 8 13 3 29 6 9 10: 35
0 3 5 7 10 2 12 1 7 0 2 9 0 2 0 2 3 6 2 5 0 2 1 2 2 0 1 0 7 1 6 2 11 6 29 6 17 14: 7 35 37 38
2 2 1 7 9 1 15 0 4 0 2 7 0 1 1 1 4 11 1 8 0 3 2 4 3 0 4 0 9 0 4 15 5 5 26 7 15 6: 7 18 32 35 37
2 1 1 8 8 1 14 0 4 0 3 7 0 0 1 1 4 9 1 8 0 3 1 4 3 0 5 0 8 0 4 11 4 7 32 7 14 9: 35
4 0 1 3 9 1 10 0 6 1 3 14 1 1 0 1 3 7 1 2 0 3 1 0 3 6 4 0 8 2 10 19 9 6 22 6 13 5: 12 32 35 37
0 2 5 3 10 1 8 1 8 1 3 10 0 0 1 4 6 6 2 2 0 1 1 1 4 0 3 3 7 1 8 5 15 5 33 7 11 7: 33 35
1 0 1 1 9 1 13 0 8 0 6 10 0 0 1 1 4 9 3 5 0 2 1 2 5 1 3 3 5 0 7 6 9 5 28 7 16 12: 35 37
0 0 1 7 4 1 16 0 6 1 2 9 2 3 4 3 3 6 2 4 0 1 0 2 0 0 1 3 10 1 10 6 16 3 33 6 10 9: 7 33 35
2 1 1 8 4 1 17 0 4 0 3 7 0 0 1 1 4 9 1 10 0 4 1 2 3 0 4 0 8 0 4 13 3 7 32 7 13 10: 7 35
2 0 1 5 8 1 10 0 5 3 3 11 1 1 0 1 3 7 1 2 0 2 1 0 4 6 6 0 5 2 10 13 12 6 30 6 13 4: 32 35 37
2 2 1 6 0 1 13 0 4 0 2 9 0 2 2 1 4 13 1 11 0 5 3 4 4 0 5 0 4 0 5 17 4 5 23 8 15 9: 7 18 20 32 35 37
"""
Places = tuple[int, ...]
SIGNALS: tuple[tuple[Places, Places], ...] = tuple(
    (tuple(map(int, signal.split())), tuple(map(int, outliers.split())))
    for signal, outliers in (line.split(":") for line in _TABLE_3.strip().splitlines())
)
