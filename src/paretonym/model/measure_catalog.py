"""The measures that come with the program, as everything but their computation sees them.

Their computation stands in `measures/`, their checks in `publishing/`, their pages in
`docs/measures/`.
"""

from __future__ import annotations

from fractions import Fraction

from paretonym.model.front import Direction
from paretonym.model.measure_info import MeasureInfo, Unit, declare, known_infos
from paretonym.model.schema import Role

_ONE = Fraction(1)
_NONE = Fraction(0)

K = declare(MeasureInfo(
    name="k", direction=Direction.MAX, unit=Unit.COUNT, class_wise=True, whole=True, least=_ONE,
    first_bound="5", risk=True, public=True,
    long="smallest class (k)", short="k",
    says="every released person shares their quasi-identifiers with at least k - 1 others",
    repeat="count the rows of each combination of {quasi}; take the smallest count",
    repeat_without_quasi="count the rows of the file: without key columns this is k",
))  # fmt: skip

DISTINCT_L = declare(MeasureInfo(
    name="distinct_l", takes_column=True, direction=Direction.MAX, unit=Unit.COUNT,
    roles=frozenset({Role.SENSITIVE}), class_wise=True, whole=True, least=_ONE, first_bound="2",
    risk=True, public=True,
    long="distinct values of {column} in a class (ℓ)", short="ℓ of {column}",
    says="every released class holds at least this many different values of {column}",
    repeat="count the different values of {column} in each combination of {quasi}; take the "
    "smallest count",
    repeat_without_quasi="count the different values of {column} in the file",
))  # fmt: skip

ENTROPY_L = declare(MeasureInfo(
    name="entropy_l", takes_column=True, direction=Direction.MAX, unit=Unit.NUMBER,
    roles=frozenset({Role.SENSITIVE}), class_wise=True, least=_ONE, first_bound="2", risk=True,
    long="entropy ℓ of {column} in a class", short="entropy ℓ of {column}",
    says="in every released class, {column} is as spread as over this many equally frequent values",
))  # fmt: skip

DELTA_DISCLOSURE = declare(MeasureInfo(
    name="delta_disclosure", takes_column=True, direction=Direction.MIN, unit=Unit.NUMBER,
    roles=frozenset({Role.SENSITIVE}), class_wise=True, least=_NONE, first_bound="1", risk=True,
    long="δ-disclosure of {column} in a class", short="δ of {column}",
    says="every value of {column} that occurs in a released class has about its share of the whole "
    "table there: neither share is more than e to the power of this times the other",
    note="values that a class lacks are not counted; that nobody in it has them can be seen",
))  # fmt: skip

GLM = declare(MeasureInfo(
    name="glm", direction=Direction.MIN, unit=Unit.LOSS, least=_NONE,
    long="information loss (GLM)", short="GLM",
    says="share of the hierarchy that a cell no longer tells apart, added up over all cells",
))  # fmt: skip

SUPPRESSED = declare(MeasureInfo(
    name="suppressed", direction=Direction.MIN, unit=Unit.ROWS, whole=True, least=_NONE,
    long="rows suppressed", short="suppressed",
    says="rows left out of the release",
))  # fmt: skip

S_K = declare(MeasureInfo(
    name="s_k", direction=Direction.MAX, unit=Unit.PER_ROW, risk=True, least=_NONE,
    long="mean class size per person", short="mean class",
    left_out="a row left out counts 0",
    says="class size added up over all released people; divided by the rows, the mean class size",
))  # fmt: skip

S_L = declare(MeasureInfo(
    name="s_l", takes_column=True, direction=None, unit=Unit.PER_ROW,
    roles=frozenset({Role.SENSITIVE}), risk=True, least=_NONE,
    long="people in the own class with the same {column}, mean per person", short="same {column}",
    left_out="a row left out counts 0",
    says="people of one's class with the same {column}, added up over all released people",
))  # fmt: skip

LOSS_ARITHMETIC = declare(MeasureInfo(
    name="loss_arithmetic", direction=Direction.MIN, unit=Unit.SHARE,
    long="mean loss of the columns", short="loss",
    says="information loss of a column between 0 and 1, mean over the quasi-identifiers",
))  # fmt: skip

LOSS_GEOMETRIC = declare(MeasureInfo(
    name="loss_geometric", direction=Direction.MIN, unit=Unit.SHARE,
    long="geometric mean loss of the columns", short="geometric loss",
    says="information loss of a column between 0 and 1, geometric mean over the quasi-identifiers",
))  # fmt: skip

CM = declare(MeasureInfo(
    name="cm", takes_column=True, direction=Direction.MIN, unit=Unit.ROWS,
    roles=frozenset({Role.TARGET}), least=_NONE,
    long="rows off their class's majority of {column} (CM)", short="CM of {column}",
    says="people whose {column} is not the most frequent one of their class, or who are left out",
))  # fmt: skip

DISCERNIBILITY = declare(MeasureInfo(
    name="discernibility", direction=Direction.MIN, unit=Unit.PER_ROW, least=_NONE,
    long="discernibility per person", short="discernibility",
    says="people one cannot be told apart from, added up over all people",
))  # fmt: skip

AVERAGE_CLASS_SIZE = declare(MeasureInfo(
    name="average_class_size", direction=Direction.MIN, unit=Unit.NUMBER, least=_NONE,
    long="average class size", short="average class",
    says="mean number of people in a class",
    note="rows that came in / classes; suppressed rows count as one more class",
))  # fmt: skip

WORST_GROUP_SUPPRESSION = declare(MeasureInfo(
    name="worst_group_suppression", takes_column=True, direction=Direction.MIN, unit=Unit.SHARE,
    roles=frozenset({Role.QUASI, Role.SENSITIVE, Role.TARGET}), few_values=True,
    long="largest share of rows lost by a value of {column}", short="worst loss in {column}",
    says="the value of {column} hit hardest loses this share of its rows",
))  # fmt: skip

QL = declare(MeasureInfo(
    name="ql", direction=Direction.MAX, unit=Unit.SHARE,
    long="quality: information that is kept", short="quality",
    says="share of the information of the quasi-identifiers that the partitions keep",
))  # fmt: skip

SECURE = declare(MeasureInfo(
    name="secure", direction=Direction.MAX, unit=Unit.FLAG, needs_rules=True, whole=True,
    least=_NONE, most=_ONE, first_bound="true", risk=True,
    long="nobody can be certain of a secret", short="secure",
    says="nobody can be certain of anything that the job calls confidential",
))  # fmt: skip

SF = declare(MeasureInfo(
    name="sf", direction=Direction.MAX, unit=Unit.SHARE, needs_rules=True, risk=True,
    long="security: doubt that is left about secrets", short="security",
    says="1 less the mean share of doubt about confidential statements that the table takes away",
    note="a mean over all people. As the table came, few may be exposed in full and most not at "
    "all; classes spread a little risk over many. So it may fall while nobody can be certain any "
    "more: read it with the largest posterior",
))  # fmt: skip

WORST_RISK = declare(MeasureInfo(
    name="worst_risk", direction=Direction.MIN, unit=Unit.SHARE, needs_rules=True, risk=True,
    first_bound="50%",
    long="largest posterior of a secret", short="worst risk",
    says="the highest certainty that anybody can reach about a confidential statement",
))  # fmt: skip

AT_RISK = declare(MeasureInfo(
    name="at_risk", direction=Direction.MIN, unit=Unit.SHARE, needs_rules=True, risk=True,
    first_bound="1%",
    long="people whose secret is likelier than allowed", short="at risk",
    says="people about whom a confidential statement is more likely than the job allows",
    note="allowed is a posterior of {at_risk}",
))  # fmt: skip

BUILT_IN = tuple(known_infos())
