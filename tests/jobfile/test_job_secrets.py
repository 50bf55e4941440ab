"""What a job says of secrets: read, refused, and compiled against its table."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paretonym.errors import HierarchyError, JobError
from paretonym.jobfile.loading import parse_job
from paretonym.model.job import Genetic
from paretonym.pipeline.api import make_job
from paretonym.pipeline.open_job import open_job

TABLE = {
    "name": ["Ann", "Bob", "Cas", "Dee", "Eva", "Flo"],
    "age": ["31", "31", "34", "45", "45", "47"],
    "health": ["0", "1", "2", "2", "2", "1"],
    "income": ["100", "250.5", "300", "300.0", "", "90"],
}
COLUMNS: dict[str, Any] = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
    "health": {"role": "sensitive"},
    "income": {"role": "sensitive", "type": "number"},
}


def plain(*rules: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"columns": COLUMNS, "objectives": ["k"], "confidential": list(rules), **changes}


def job(*rules: dict[str, Any], **changes: Any):
    return open_job(make_job(plain(*rules, **changes), table=pa.table(TABLE)))


def refusal(*rules: dict[str, Any], **changes: Any) -> str:
    with pytest.raises(JobError) as caught:
        job(*rules, **changes)
    assert "Traceback" not in str(caught.value)
    return str(caught.value)


def test_a_rule_with_everything():
    rule = {"say": "health = 2", "for": "age < 40 and health != 0", "damage": 2, "prior": "1.5%"}
    columns = {**COLUMNS, "age": {**COLUMNS["age"], "type": "number"}}
    with job(rule, {"say": "income >= 300"}, columns=columns) as opened:
        first, second = opened.secrets
        assert (first.damage, first.prior) == (Fraction(2), Fraction(3, 200))
        assert first.condition == "age < 40 and health != 0"
        assert (second.protects, second.damage, second.prior) == (None, Fraction(1), None)
        rules = opened.context.confidential
        assert rules.priors == (Fraction(3, 200), Fraction(2, 6))
        # Bob and Cas are protected by both, the others by the second only
        assert rules.applies == ((True, True), (False, True))


def test_security_options():
    genetic = {"population": 10, "generations": 5, "crossover": "50%", "mutation": "1%"}
    security = {"at_risk": "33.3%", "domain": "observed", "genetic": genetic}
    rule = {"say": "health = 2"}
    job = parse_job({"table": "t.csv", **plain(rule, security=security)}, base=Path())
    assert job.security.at_risk == Fraction(333, 1000)
    assert job.security.domain == "observed"
    assert job.security.genetic == Genetic(10, 5, 0.5, 0.01)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"say": "helth = 2"}, ["confidential.say, item 1", "no column helth", "'health'"]),
        ({"say": "health = 9"}, ["rule 1, say", "character 10", "'9' does not occur", "3"]),
        ({"say": "health = 2", "for": "age = 99"}, ["rule 1, for", "character 7"]),
        ({"say": "age = 31"}, ["column age is a quasi-identifier"]),
        ({"say": "name = Ann"}, ["column name is dropped"]),
        ({"say": "health >= 2"}, ["rule 1, say", "type: number"]),
        ({"say": "health ="}, ["item 1", "character 9"]),
        ({"say": ""}, ["expected a sentence"]),
        ({}, ["this key is missing", "say: Health = 2"]),
        ({"say": "health = 2", "damage": 0}, ["damage", "above zero"]),
        ({"say": "health = 2", "damage": -1}, ["damage", "above zero"]),
        ({"say": "health = 2", "prior": "0.1"}, ["prior", "percentage"]),
        ({"say": "health = 2", "prior": "100%"}, ["prior", "below 100%"]),
        ({"say": "health = 2", "prior": "0.00001%"}, ["four decimals"]),
        ({"say": "health = 2", "four": "age = 31"}, ["unknown key", "'for'"]),
        ({"say": "health = 2 or not health = 2"}, ["rule 1", "never be kept secret"]),
        ({"say": "health in {0, 1, 2}"}, ["rule 1", "never be kept secret"]),
    ],
)
def test_rules_that_are_refused(rule, words):
    said = refusal(rule)
    assert all(word in said for word in words), said
    assert "Ann" not in said or rule["say"] == "name = Ann"


def test_no_message_shows_a_value_that_the_job_does_not_write():
    said = refusal({"say": "income = 12"})
    assert "250.5" not in said
    assert "'12' does not occur" in said


def test_nothing_may_be_suppressed():
    said = refusal({"say": "health = 2"}, suppression={"limit": "5%"})
    assert "suppression.limit" in said
    assert "nothing may be suppressed" in said
    with job({"say": "health = 2"}, suppression={"limit": 0}) as opened:
        assert opened.limit == 0


def test_a_hierarchy_must_end_in_one_block():
    age = {"role": "quasi", "hierarchy": {"groups": {"a": ["31", "34"], "b": ["45", "47"]}}}
    hierarchy = {**age["hierarchy"], "open_top": True}
    columns = {**COLUMNS, "age": {**age, "hierarchy": hierarchy}}
    with pytest.raises(HierarchyError, match="must be one"):
        job({"say": "health = 2"}, columns=columns)


def test_measures_need_rules():
    with pytest.raises(JobError, match="under confidential"):
        open_job(
            make_job({**plain(objectives=["sf"]), "confidential": None}, table=pa.table(TABLE))
        )


def test_secure_is_required_or_not():
    assert "write secure: true" in refusal({"say": "health = 2"}, require={"secure": 0})
    assert "expected a number" in refusal({"say": "health = 2"}, require={"k": True})
    with job({"say": "health = 2"}, require={"secure": True, "worst_risk": "80%"}) as opened:
        assert {r.bound.measure: float(r.bound.value) for r in opened.require} == {
            "secure": 1, "worst_risk": 0.8,
        }  # fmt: skip


def test_too_many_conditions_or_rules():
    ages = [f"age {sign} {n}" for sign in ("=", "!=") for n in (31, 34, 45, 47)]
    rules = [{"say": "health = 2", "for": condition} for condition in ages]
    assert "at most 6 different conditions" in refusal(*rules)
    assert "at most 32" in refusal(*([{"say": "health = 2"}] * 33))


def test_a_condition_may_speak_of_what_an_outsider_knows_or_of_who_is_dropped():
    with job({"say": "health = 2", "for": "name = Cas"}) as opened:
        assert opened.context.confidential.applies == ((True,),)


def test_a_sentence_that_nobody_fulfils_is_kept_by_every_table():
    with job({"say": "health = 2 and health = 1"}) as opened:
        assert opened.context.confidential.priors == (0,)
