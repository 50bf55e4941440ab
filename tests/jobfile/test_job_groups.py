"""What a job says of groups: read, refused with its place, and part of the digest."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from paretonym.errors import JobError
from paretonym.jobfile.digest import search_digest
from paretonym.jobfile.loading import parse_job
from paretonym.model.fuzzy import FuzzyValue
from paretonym.model.group import AttackSpec, Evolution, OutlierRule, Recipe
from paretonym.model.job import Job
from paretonym.pipeline.open_job import open_job

GROUP: dict[str, Any] = {"vital": "job = s", "parameter": ["land", "area"]}
AUXILIARY: dict[str, Any] = {"table": "other.csv", "harmonise": {"age": {"range": [18, 45]}}}


def parsed(_rest: dict[str, Any] | None = None, **changes: Any) -> Job:
    group = {**GROUP, **changes}
    data = {"table": "people.csv", "groups": {"g": group}, **(_rest or {})}
    return parse_job(data, base=Path("/jobs"))


def refusal(_rest: dict[str, Any] | None = None, **changes: Any) -> str:
    with pytest.raises(JobError) as caught:
        parsed(_rest, **changes)
    return str(caught.value)


def test_a_group_with_everything():
    (group,) = parsed(
        remove="job",
        basic=["age", "sex"],
        region="land",
        region_share="0.5%",
        smallest_area=100,
        weight="w",
        only="age >= 18",
        outliers={"alpha": "5%", "side": "upper", "signal": "concentration",
                  "keep": "1-2", "ignore": ["1-3", "1-4"]},
        variables={"age": {"young": {"pi": [7.05, 15.4, 22.5, 27.18]}}, "sex": {"m": {"is": 1}}},
        reference={"table": "before.csv"},
        auxiliary={"table": ["a.csv", "b.csv"], "harmonise": {"sex": {"map": {1: "m"}}}},
        attack={"population": 50, "replace": 20, "crossover": "90%", "rcf": 0.8, "cut": 0.6},
    ).groups  # fmt: skip
    assert (group.name, group.remove, group.places) == ("g", ("job",), ("land", "area"))
    assert (group.region_share, group.smallest_area) == (Fraction(1, 200), 100)
    assert group.outliers == OutlierRule(
        Fraction(1, 20), "upper", "concentration", ("1-2",), ("1-3", "1-4")
    )
    age, sex = group.variables
    assert age.values == (FuzzyValue("young", "pi", ("7.05", "15.4", "22.5", "27.18")),)
    assert (age.numeric, sex.numeric) == (True, False)
    assert sex.values == (FuzzyValue("m", "is", ("1",)),)
    assert group.reference[0].data == Path("/jobs/before.csv")
    assert group.auxiliary is not None
    assert [s.data for s in group.auxiliary.sources] == [Path("/jobs/a.csv"), Path("/jobs/b.csv")]
    assert group.auxiliary.vital == group.vital
    assert group.auxiliary.recipes == (
        Recipe("age", ("age",), numeric=True),
        Recipe("sex", ("sex",), recode=(("1", "m"),)),
    )
    assert group.attack == AttackSpec(
        Evolution(population=50, replace=20, crossover=0.9, rcf=0.8, cut=0.6)
    )


def test_defaults_are_the_published_ones():
    (group,) = parsed().groups
    assert group.outliers == OutlierRule(Fraction(1, 100), "both", "quantity")
    assert group.attack.evolution == Evolution(100, 40, 100, 10, 10, 1.0, 0.05, 0.75, 0.001, 0.5)
    assert (group.smallest_area, group.auxiliary, group.reference) == (1, None, ())


def test_recipes_apart():
    harmonise = {
        "both": {"age": {"range": [18, 45]}, "sex": {"map": {"1": "m"}}},
        "auxiliary": {"age": {"from": "years", "intervals": [30]}},
    }
    (group,) = parsed(auxiliary={**AUXILIARY, "harmonise": harmonise}).groups
    assert group.basic == ("age", "sex")
    assert group.auxiliary is not None
    assert group.auxiliary.main_recipes[0] == Recipe(
        "age", ("age",), (Decimal(18), Decimal(45)), numeric=True
    )
    assert group.auxiliary.recipes[0] == Recipe("age", ("years",), edges=(Decimal(30),))
    assert group.auxiliary.main_recipes[1] == group.auxiliary.recipes[1]


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [("gauss", [2, 27.5]), ("trapezoid", [1, 1, 8, 10]), ("pi", [0, 0, 1, 1]), ("z", [1, 2]),
     ("s", [1, 2]), ("triangle", [1, 2, 3]), ("range", [1, 1])],
)  # fmt: skip
def test_every_kind_of_fuzzy_value(kind, numbers):
    (group,) = parsed(variables={"age": {"a": {kind: numbers}}}).groups
    assert group.variables[0].values == (FuzzyValue("a", kind, tuple(map(str, numbers))),)
    assert f"{kind} takes" in refusal(variables={"age": {"a": {kind: [*numbers, 99]}}})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vital": None}, ["groups.g.vital: this key is missing", "startswith"]),
        ({"vital": "job ="}, ["groups.g.vital: character 6"]),
        ({"parameter": []}, ["groups.g.parameter: nothing is listed"]),
        ({"parameter": ["a", "a"]}, ["groups.g.parameter", "stands twice"]),
        ({"parameter": ["job"]}, ["groups.g.parameter, item 1", "column job says who"]),
        ({"paramter": ["a"]}, ["groups.g.paramter: unknown key (did you mean 'parameter'?)"]),
        ({"protect": {"methd": "flow"}}, ["groups.g.protect.methd", "did you mean 'method'"]),
        ({"protect": {"method": "flo"}}, ["protect.method: unknown method", "'flow'"]),
        ({"protect": {"distortion": 0.3}}, ["protect.distortion: expected a percentage"]),
        ({"protect": {"remaining": 0.3}}, ["protect.remaining: expected a percentage"]),
        ({"protect": {"compatibility": 2}}, ["protect.compatibility", "at most 1"]),
        ({"protect": {"threshold": {"extra": 1}}}, ["protect.threshold.extra", "below 1"]),
        ({"protect": {"threshold": {"larges": 1}}}, ["did you mean 'largest'"]),
        ({"protect": {"influential": {"age": 1}}}, ["protect.influential", "{ordinal: 1}"]),
        ({"protect": {"influential": {"age": {"ordinal": 0}}}}, ["a weight is above 0"]),
        ({"protect": {"influential": {"a": {"categorical": 1, "groups": {"x": "1", "y": "1"}}}}},
         ["a code stands in two groups"]),
        ({"protect": {"keep_margins": ["area"]}}, ["a margin is a list of columns"]),
        ({"region_share": 0.005}, ["groups.g.region_share: expected a percentage"]),
        ({"smallest_area": 0}, ["groups.g.smallest_area: expected a whole number from 1"]),
        ({"outliers": {"alpa": "1%"}}, ["groups.g.outliers.alpa", "did you mean 'alpha'"]),
        ({"outliers": {"side": "uper"}}, ["outliers.side: unknown side", "'upper'"]),
        ({"outliers": {"signal": "x"}}, ["quantity or concentration"]),
        ({"outliers": {"keep": ["a"], "ignore": ["a"]}}, ["outliers.ignore", "keep one of them"]),
        ({"outliers": []}, ["groups.g.outliers: expected a mapping"]),
        ({"basic": ["job"]}, ["groups.g.basic, item 1", "no attack can use it"]),
        ({"basic": ["age", "mil"], "remove": ["mil"]}, ["groups.g.basic, item 2", "taken out"]),
        ({"basic": ["area"]}, ["groups.g.basic, item 1", "says where"]),
        ({"basic": ["home"], "region": "home"}, ["groups.g.basic, item 1", "says where"]),
        ({"variables": {"job": {"a": {"is": ["s"]}}}},
         ["groups.g.variables.job: column job is taken out"]),
        ({"variables": {"area": {"a": {"is": ["1"]}}}}, ["groups.g.variables.area: says where"]),
        ({"auxiliary": {**AUXILIARY, "harmonise": {"job": {"map": {"s": "t"}}}}},
         ["groups.g.auxiliary.harmonise.job: column job is taken out"]),
        ({"region": "home", "auxiliary": {**AUXILIARY, "harmonise": {"home": {"type": "number"}}}},
         ["groups.g.auxiliary.harmonise.home: says where"]),
        ({"basic": ["ages"], "variables": {"age": {"a": {"z": [1, 2]}}}},
         ["groups.g.variables.age: not among the basic attributes (did you mean 'ages'?)"]),
        ({"variables": {"age": {}}}, ["groups.g.variables.age: nothing is listed"]),
        ({"variables": {"age": {"a": "x"}}}, ["variables.age.a: expected a mapping with one of"]),
        ({"variables": {"age": {"a": {"gaus": [1, 2]}}}}, ["did you mean 'gauss'"]),
        ({"variables": {"age": {"a": {"pi": [3, 2, 4, 5]}}}}, ["never fall"]),
        ({"variables": {"age": {"a": {"gauss": [0, 2]}}}}, ["above zero"]),
        ({"variables": {"age": {"a": {"is": []}}}}, ["expected a list of codes"]),
        ({"auxiliary": {"harmonise": {"age": {"range": [1, 2]}}}},
         ["groups.g.auxiliary.table: this key is missing"]),
        ({"auxiliary": {"table": {"delimiter": ";"}, "harmonise": {"a": {"type": "number"}}}},
         ["groups.g.auxiliary.table: there is no path"]),
        ({"auxiliary": {"table": {"path": "a", "delimitr": ";"}, "harmonise": {"a": {}}}},
         ["auxiliary.table.delimitr", "did you mean 'delimiter'"]),
        ({"auxiliary": {"table": "a.csv"}}, ["groups.g.basic: nothing to learn from"]),
        ({"auxiliary": {**AUXILIARY, "harmonise": "age"}}, ["harmonise: expected a mapping"]),
        ({"auxiliary": {**AUXILIARY, "harmonise": {"age": {"rang": [1, 2]}}}},
         ["auxiliary.harmonise.age.rang", "did you mean 'range'"]),
        ({"auxiliary": {**AUXILIARY, "harmonise": {"main": {"age": {"rang": [1, 2]}}}}},
         ["auxiliary.harmonise.main.age.rang", "did you mean 'range'"]),
        ({"auxiliary": {**AUXILIARY, "harmonise": {"age": {"range": [2, 1]}}}}, ["smaller first"]),
        ({"auxiliary": {**AUXILIARY, "harmonise": {"age": {"intervals": [2, 2]}}}}, ["ascend"]),
        ({"auxiliary": {**AUXILIARY, "harmonise": {"age": {"map": {"1": "a"}, "intervals": [2]}}}},
         ["harmonise.age: map and intervals cannot be combined"]),
        ({"auxiliary": {**AUXILIARY, "harmonise": {"age": {"rest": "a"}}}}, ["add map"]),
        ({"auxiliary": {**AUXILIARY, "harmonise": {"age": {"from": "job"}}}},
         ["harmonise.age.from: column job is taken out"]),
        ({"reference": {"tabel": "a"}}, ["groups.g.reference.tabel", "did you mean 'table'"]),
        ({"attack": {"replace": 200}}, ["groups.g.attack.replace: more than the population"]),
        ({"attack": {"mutation": 0.05}}, ["groups.g.attack.mutation: expected a percentage"]),
        ({"attack": {"rcf": 0}}, ["groups.g.attack.rcf: expected a number above zero"]),
        ({"attack": {"cut": 2}}, ["groups.g.attack.cut: expected a membership grade"]),
        ({"attack": {"attackers": ["boostng"]}},
         ["groups.g.attack.attackers: unknown attacker (did you mean 'boosting'?)"]),
        ({"attack": {"attackers": []}}, ["groups.g.attack.attackers: expected a list"]),
        ({"attack": {"attackers": [["fuzzy"]]}}, ["unknown attacker; use fuzzy, logistic or"]),
        ({"attack": {"controls": -1}}, ["groups.g.attack.controls"]),
        ({"attack": {"resamples": 10}}, ["groups.g.attack.resamples"]),
        ({"sites": 0}, ["groups.g.sites"]),
        ({"attack": {"seeds": 1}}, ["groups.g.attack.seeds: unknown key"]),
    ],
)  # fmt: skip
def test_what_is_refused(changes, words):
    said = refusal(**changes)
    assert all(word in said for word in words), said


@pytest.mark.parametrize(
    "changes",
    [
        {"outliers": {"keep": {"CANARY": "CANARY"}}},
        {"variables": {"age": {"a": {"is": {"CANARY": 1}}}}},
        {"variables": {"age": {"a": {"CANARY": [1]}}}},
        {"auxiliary": {**AUXILIARY, "harmonise": {"age": {"map": {"CANARY": ["CANARY"]}}}}},
        {"auxiliary": {**AUXILIARY, "harmonise": {"age": {"range": ["CANARY", 2]}}}},
        {"auxiliary": {**AUXILIARY, "harmonise": {"age": {"intervals": "CANARY"}}}},
    ],
)
def test_messages_repeat_no_value(changes):
    assert "CANARY" not in refusal(**changes)


def test_columns_of_a_group_are_among_the_jobs():
    roles = {"age": "sensitive", "job": "identifier", "land": "insensitive"}
    columns: dict[str, Any] = {name: {"role": role} for name, role in roles.items()}
    columns["sex"] = {"role": "quasi", "hierarchy": "suppress"}
    said = refusal({"columns": columns, "objectives": ["k"]}, region="lnd", weight="w")
    for words in ("parameter, item 2: there is no column area", "region: there is no column lnd",
                  "did you mean 'land'", "weight: there is no column w"):  # fmt: skip
        assert words in said, said


def test_only_a_job_of_groups_does_without_columns():
    with pytest.raises(JobError, match="columns: this key is missing"):
        parse_job({"table": "people.csv", "objectives": ["k"]}, base=Path())
    job = parsed()
    assert (job.columns, job.objectives) == ((), ())
    with pytest.raises(JobError, match="no columns and no objectives"):
        open_job(job)


def test_a_release_is_made_from_one_file():
    rest = {"table": ["a.csv", "b.csv"], "objectives": ["k"], "columns": {
        name: {"role": "quasi", "hierarchy": "suppress"} for name in ("job", "land", "area")
    }}  # fmt: skip
    with pytest.raises(JobError, match="table names 2 files"):
        open_job(parsed(rest))


def test_the_digest_knows_groups_but_not_where_files_lie():
    digest = parsed(auxiliary=AUXILIARY).digest
    assert digest != parsed().digest
    assert digest == parsed(auxiliary={**AUXILIARY, "table": "elsewhere.csv"}).digest
    assert digest != parsed(auxiliary=AUXILIARY, smallest_area=2).digest
    assert search_digest(parsed()) == search_digest(parsed(smallest_area=2))
