"""Rules of confidentiality in a release: recomputed, kept from the public, held on later files."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import re
from collections import Counter, defaultdict
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cli.calling import call

import paretonym as pn
from paretonym.errors import InfeasibleError, JobError, VerificationError
from paretonym.model.bound import Bound
from paretonym.model.front import Direction
from paretonym.model.logic.predicate import AllOf, AnyOf, Not, ValueIn
from paretonym.model.plan import Plan, sealed
from paretonym.publishing.codes import code_column
from paretonym.publishing.confidentiality import truth

FIGURES = ("secure", "sf", "worst_risk", "at_risk", "ql")

# ---- six people, by hand

SIX = [("n1", "flu"), ("n1", "flu"), ("n1", "cold"), ("s2", "flu"), ("s2", "cold"), ("s2", "cold")]
JOB = {
    "columns": {
        "home": {"role": "quasi", "hierarchy": "suppress"},
        "ill": {"role": "sensitive"},
    },
    "objectives": ["ql", "sf"],
    "confidential": [{"say": "ill = flu"}],
}


def write(path, rows, names=("home", "ill")):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([names, *rows])
    return path


def released(folder, rows=SIX, *, levels=None, **changes):
    job = pn.make_job(JOB | changes, table=write(folder / "input.csv", rows))
    return pn.release(job, levels=levels or {"home": 0}, out=folder / "r")


def test_six_people_by_hand(tmp_path):
    """Two of three have flu at n1, one of three at s2; the prior is one half.

    At n1 the doubt falls by 1 - log(2/3)/log(1/2) for each of three, at s2 it grows: risk 0.
    """
    made = released(tmp_path)
    values = made.internal.values
    assert (values["secure"], values["worst_risk"], values["at_risk"]) == (1, 2 / 3, 1 / 2)
    assert values["sf"] == pytest.approx(1 - (1 - math.log(2 / 3) / math.log(1 / 2)) / 2)
    assert values["ql"] == 1.0
    assert made.internal.stated == ()


def test_a_rule_for_everybody_is_recomputed_without_the_input(tmp_path):
    released(tmp_path)
    found = pn.verify(tmp_path / "r")
    assert found.ok
    assert {check.name for check in found.checks} >= set(FIGURES)


def test_a_rule_for_raw_values_needs_the_input(tmp_path):
    """The file shows `*` for homes, so only the input tells whom the rule protects."""
    rule = {"say": "ill = flu", "for": "home = n1"}
    released(tmp_path, levels={"home": 1}, confidential=[rule])
    assert set(pn.verify(tmp_path / "r").stated) >= {"secure", "sf", "worst_risk", "at_risk"}
    full = pn.verify(tmp_path / "r", against=tmp_path / "input.csv")
    assert full.ok
    assert not full.stated


def test_a_condition_on_what_the_file_shows_needs_no_input(tmp_path):
    rule = {"say": "ill = flu", "for": "not ill = cold"}
    released(tmp_path, confidential=[rule])
    assert not set(FIGURES) & set(pn.verify(tmp_path / "r").stated)


# ---- the engine, the checker and the definitions

SAY = {
    "ill = flu": lambda row: row["ill"] == "flu",
    "ill in {flu, cold}": lambda row: row["ill"] in ("flu", "cold"),
    "ill is missing or pay >= 20": lambda row: not row["ill"] or int(row["pay"]) >= 20,
    "ill = flu and not pay = 10": lambda row: row["ill"] == "flu" and row["pay"] != "10",
}
FOR = {
    None: lambda row: True,
    "home in {a, b}": lambda row: row["home"] in "ab",
    "age >= 30": lambda row: int(row["age"]) >= 30,
    "name startswith x": lambda row: row["name"].startswith("x"),
    "pay < 30 or not home = c": lambda row: int(row["pay"]) < 30 or row["home"] != "c",
}
NAMES = ("name", "home", "age", "ill", "pay")
HOMES = {
    1: {"a": "left", "b": "left", "c": "right", "d": "right"},
    2: {"a": "up", "b": "down", "c": "up", "d": "down"},
}
COLUMNS = {
    "name": {"role": "identifier"},
    "home": {
        "role": "quasi",
        "weight": 2,
        "partitions": {
            "side": {"groups": {"left": ["a", "b"], "right": ["c", "d"]}},
            "height": {"groups": {"up": ["a", "c"], "down": ["b", "d"]}},
        },
    },
    "age": {"role": "quasi", "type": "number", "hierarchy": {"intervals": [10]}},
    "ill": {"role": "sensitive"},
    "pay": {"role": "sensitive", "type": "number"},
}


def shown(row, node):
    """What stands in the release for home and age."""
    home = HOMES.get(node[0], {row["home"]: row["home"] if node[0] == 0 else "*"})
    return home[row["home"]], (row["age"], int(row["age"]) // 10, "*")[node[1]]


def by_definition(rows, node, rules, at_risk, observed):
    """Person by person, in fractions."""
    classes = defaultdict(list)
    for row in rows:
        classes[shown(row, node)].append(row)
    exposed, above, worst, risk = 0, 0, Fraction(0), 0.0
    for members in classes.values():
        share = [Fraction(sum(map(SAY[r["say"]], members)), len(members)) for r in rules]
        for row in members:
            own = [i for i, r in enumerate(rules) if FOR[r.get("for")](row)]
            exposed += any(share[i] == 1 for i in own)
            above += any(share[i] > at_risk for i in own)
            worst = max([worst, *(share[i] for i in own)])
            together = sum(rules[i]["damage"] for i in own)
            for i in own:
                prior = Fraction(sum(map(SAY[rules[i]["say"]], rows)), len(rows))
                prior = Fraction(1, 10) if "prior" in rules[i] else prior
                if share[i] and prior < 1:
                    change = 1 - math.log(share[i]) / math.log(prior)
                    risk += rules[i]["damage"] / together * max(change, 0)
    return {
        "secure": int(not exposed),
        "sf": 1 - risk / len(rows),
        "worst_risk": float(worst),
        "at_risk": above / len(rows),
        "ql": _quality(rows, node, observed),
    }


def _quality(rows, node, observed):
    """Homes are declared by their groups and weigh 2; ages are those that occur."""
    homes = {row["home"] for row in rows} if observed else set("abcd")
    blocks = (
        Counter(shown({"home": home, "age": "0"}, node)[0] for home in homes),
        Counter(shown({"home": "a", "age": age}, node)[1] for age in {r["age"] for r in rows}),
    )
    found = 0.0
    for weight, sizes in zip((2, 1), blocks, strict=True):
        n = sizes.total()
        entropy = sum(b / n * math.log(n / b) for b in sizes.values())
        found += weight / 3 * (entropy / math.log(n) if n > 1 else 1)
    return found


people = st.tuples(
    st.sampled_from("abc"),
    st.sampled_from(["21", "25", "33", "38", "40"]),
    st.sampled_from(["flu", "cold", "", "gout"]),
    st.sampled_from(["10", "20", "30"]),
)
rules = st.fixed_dictionaries(
    {"say": st.sampled_from(list(SAY)), "damage": st.sampled_from([1, 2, 5])},
    optional={"for": st.sampled_from([c for c in FOR if c]), "prior": st.just("10%")},
)
# every value that a sentence names occurs
FIRST = [("a", "21", "flu", "10"), ("b", "33", "cold", "20"), ("c", "38", "", "30")]


@st.composite
def confided(draw):
    rows = [*FIRST, *draw(st.lists(people, min_size=2, max_size=12))]
    named = [(f"{'xyz'[i % 3]}{i}", *row) for i, row in enumerate(rows)]
    node = draw(st.tuples(st.integers(0, 3), st.integers(0, 2)))
    said = draw(st.lists(rules, min_size=1, max_size=4))
    security = {"at_risk": draw(st.sampled_from(["50%", "30%"]))}
    security["domain"] = draw(st.sampled_from(["observed", "declared"]))
    return named, node, said, security


@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(confided(), st.sampled_from(["csv", "parquet"]))
def test_checker_engine_and_definitions_agree(tmp_path_factory, case, form):
    rows, node, said, security = case
    folder = tmp_path_factory.mktemp("c")
    data = {"columns": COLUMNS, "objectives": ["ql", "sf"], "confidential": said}
    source = write(folder / "input.csv", rows, NAMES)
    job = pn.make_job(data | {"security": security}, table=source)
    levels = {"home": node[0], "age": node[1]}
    made = pn.release(job, levels=levels, out=folder / "r", format=form)
    assert made.internal.stated == ()  # so the checker computed the engine's own numbers
    named = [dict(zip(NAMES, row, strict=True)) for row in rows]
    at_risk = Fraction(security["at_risk"].removesuffix("%")) / 100
    expected = by_definition(named, node, said, at_risk, security["domain"] == "observed")
    found = {name: made.internal.values[name] for name in FIGURES}
    assert found == pytest.approx(expected, abs=1e-9)


def test_typed_columns_are_compared_as_what_they_are(tmp_path):
    """Numbers and a missing one in Parquet; 7 is shown nowhere as the text of the sentence."""
    table = pa.table({"home": ["a", "a", "b", "b"], "ill": pa.array([7, None, 7, 8], pa.int64())})
    pq.write_table(table, tmp_path / "in.parquet")
    for form in ("csv", "parquet"):
        rules = [{"say": "ill = 7"}, {"say": "ill is missing"}]
        job = pn.make_job(JOB | {"confidential": rules}, table=tmp_path / "in.parquet")
        made = pn.release(job, levels={"home": 0}, out=tmp_path / form, format=form)
        assert made.internal.values["worst_risk"] == 0.5
        assert pn.verify(tmp_path / form, against=tmp_path / "in.parquet").ok


def test_conditions_on_codes():
    """Missing is not the empty text, and a text that nobody has is fulfilled by nobody."""
    column = code_column(pa.chunked_array([["a", "", None, "b"]]))

    def holds(predicate):
        return truth(predicate, {"x": column}, 4).tolist()

    empty, missing = ValueIn("x", frozenset({""})), ValueIn("x", frozenset({None}))
    assert holds(empty) == [False, True, False, False]
    assert holds(missing) == [False, False, True, False]
    assert holds(ValueIn("x", frozenset({"z"}))) == [False] * 4
    assert holds(AnyOf((empty, Not(missing)))) == [True, True, False, True]
    assert holds(AllOf(())) == [True] * 4
    assert holds(AnyOf(())) == [False] * 4


def test_quality_is_recomputed_where_statistics_hide_blocks(tmp_path):
    """One home is suppressed, so that its block has no mean, but it is part of the domain."""
    rows = [("11", "flu"), ("12", "flu"), ("21", "cold"), ("22", "flu"), ("31", "flu")]
    home = {
        "role": "quasi",
        "type": "number",
        "write": "mean",
        "hierarchy": {"intervals": [10]},
    }
    for domain in ("declared", "observed"):
        data = {
            "columns": {"home": home, "ill": {"role": "sensitive"}},
            "objectives": ["k", "ql"],
            "security": {"domain": domain},
            "suppression": {"limit": 1},
        }
        job = pn.make_job(data, table=write(tmp_path / "input.csv", rows))
        made = pn.release(job, levels={"home": 1}, suppress_below=2, out=tmp_path / domain)
        blocks = [2, 2, 1]
        entropy = sum(n / 5 * math.log(5 / n) for n in blocks) / math.log(5)
        assert made.public.suppressed == "<k"
        assert made.internal.values["ql"] == pytest.approx(entropy)
        assert "ql" in made.internal.recomputed


# ---- tampering


def tampered(folder, change):
    """Somebody changes a cell and mends every hash."""
    data = folder / "r" / "data.csv"
    data.write_text(change(data.read_text()))
    digest = hashlib.sha256(data.read_bytes()).hexdigest()
    edit(folder / "r" / "manifest.json", lambda m: m["data"].update(sha256=digest))
    mend(folder)


def mend(folder):
    def files(manifest):
        for name in manifest["files"]:
            path = folder / "r" / name
            manifest["files"][name] = hashlib.sha256(path.read_bytes()).hexdigest()

    edit(folder / "r" / "internal" / "manifest.json", files)


def edit(path, change):
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def failed(found):
    return {check.name for check in found.failures}


def test_a_class_made_alike_is_noticed(tmp_path):
    released(tmp_path, require={"secure": True})
    tampered(tmp_path, lambda text: text.replace("n1,cold", "n1,flu"))
    found = failed(pn.verify(tmp_path / "r"))
    assert found >= {"secure", "worst_risk", "sf", "required: secure"}


MIXED = [{"say": "ill = flu"}, {"say": "ill = flu", "for": "home = s2"}]


def test_a_rule_that_needs_the_input_does_not_silence_the_others(tmp_path):
    """The second rule speaks of raw homes, which the file need not show; the first does not."""
    released(tmp_path, require={"secure": True}, confidential=MIXED)
    found = pn.verify(tmp_path / "r")
    assert found.ok
    assert found.unchecked == ("secure",)
    assert pn.verify(tmp_path / "r", against=tmp_path / "input.csv").unchecked == ()
    tampered(tmp_path, lambda text: text.replace("n1,cold", "n1,flu"))
    assert failed(pn.verify(tmp_path / "r")) >= {
        "secure, by the rules that the file shows",
        "worst_risk, by the rules that the file shows",
    }


def test_what_was_not_checked_is_said(tmp_path):
    released(tmp_path, require={"secure": True}, confidential=MIXED)
    said = call("verify", tmp_path / "r")
    words = " ".join(said.err.split())
    assert said.code == 0
    assert "not checked: secure, required by the job" in words
    assert "every promise was recomputed" not in words
    assert call("verify", tmp_path / "r", "--json", "-q").json["unchecked"] == ["secure"]


@pytest.mark.parametrize("numbers", [[1e-7, 2.0, 1e-7, 3.0], [123456789012.0, 1.0, 5.0, 2.0]])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_numbers_are_compared_as_numbers(tmp_path, numbers, form):
    """Engine and file spell 0.0000001 and 123456789012.0 in ways of their own."""
    table = pa.table({"home": ["a", "a", "b", "b"], "x": numbers})
    columns = {**JOB["columns"], "x": {"role": "sensitive", "type": "number"}}
    del columns["ill"]
    rules = [{"say": "x < 1 or x > 100"}]
    job = pn.make_job(JOB | {"columns": columns, "confidential": rules}, table=table)
    made = pn.release(job, levels={"home": 0}, out=tmp_path / "r", format=form)
    assert made.internal.values["worst_risk"] == 0.5
    assert made.internal.stated == ()


@pytest.mark.parametrize("name", FIGURES)
def test_a_false_promise_is_noticed(tmp_path, name):
    released(tmp_path)
    manifest = tmp_path / "r" / "internal" / "manifest.json"
    edit(manifest, lambda m: m["values"].update({name: 0 if name == "secure" else 0.123}))
    assert failed(pn.verify(tmp_path / "r")) == {name}


def test_an_engine_that_errs_leaves_nothing(tmp_path, monkeypatch):
    from paretonym.pipeline import releasing

    honest = releasing.score_of

    def lying(*given, **options):
        score = honest(*given, **options)
        score.values["worst_risk"] = 0.5
        return score

    monkeypatch.setattr(releasing, "score_of", lying)
    with pytest.raises(VerificationError, match="worst_risk"):
        released(tmp_path)
    assert not (tmp_path / "r").exists()


# ---- what the public sees


def test_public_files_hold_neither_rules_nor_risks(tmp_path):
    rows = [(h, "zqcanary" if ill == "flu" else ill) for h, ill in SIX]
    rows += [("n1", "zqother"), ("s2", "zqother")]
    rule = {"say": "ill = zqcanary or not ill in {zqother, cold}", "for": "home = n1"}
    made = released(
        tmp_path, rows, confidential=[rule], levels={"home": 1}, require={"worst_risk": 0.9}
    )
    worst = f"{made.internal.values['worst_risk']:.4}"
    for name in ("manifest.json", "report.html"):
        public = (tmp_path / "r" / name).read_text()
        words = r"zqcanary|zqother|confidential rule|worst|posterior|at_risk|secure\b|\bsf\b|\bql\b"
        assert not re.search(words, public), name
        assert worst not in public
    assert "zqcanary" in (tmp_path / "r" / "internal" / "plan.json").read_text()


# ---- plans


def plan_of(folder):
    return json.loads((folder / "r" / "internal" / "plan.json").read_text())


def test_a_plan_keeps_its_rules(tmp_path):
    rule = {"say": "ill = flu", "for": "home = n1", "damage": 2.5, "prior": "10%"}
    released(
        tmp_path, confidential=[rule], require={"worst_risk": 0.75}, security={"domain": "observed"}
    )
    plan = Plan.from_json(plan_of(tmp_path))
    (secret,) = plan.secrecy.secrets
    assert (secret.text, secret.condition) == ("ill = flu", "home = n1")
    assert secret.protects == ValueIn("home", frozenset({"n1"}))
    assert (secret.damage, secret.prior) == (Fraction(5, 2), Fraction(1, 10))
    assert plan.secrecy.require == (Bound("worst_risk", Direction.MIN, Fraction(3, 4)),)
    assert plan.observed
    assert plan.to_json() == plan_of(tmp_path)


def test_a_plan_of_an_earlier_version_has_no_rules(tmp_path):
    released(tmp_path)
    data = plan_of(tmp_path)
    del data["confidential"], data["quality_over"]
    plan = Plan.from_json(sealed(data))
    assert plan.secrecy.secrets == ()
    assert not plan.observed


@pytest.mark.parametrize(
    "damage",
    [
        lambda c: c.update(rules=[]),
        lambda c: c.update(at_risk="1/0"),
        lambda c: c.update(at_risk=0.5),
        lambda c: c.update(at_risk="3"),
        lambda c: c.update(require={"worst_risk": "3/4"}),
        lambda c: c.update(require=[{"measure": "k", "at least": "5"}]),
        lambda c: c.update(require=[{"measure": "worst_risk", "at least": "3/4"}]),
        lambda c: c.update(numbers={"ill": "no"}),
        lambda c: c["rules"][0].update(damage="0"),
        lambda c: c["rules"][0].update(prior="1"),
        lambda c: c["rules"][0].update(sentence=None),
        lambda c: c["rules"][0].update(sentence={"column": "home", "in": ["n1"]}),
        lambda c: c["rules"][0].update(sentence={"column": "elsewhere", "in": []}),
        lambda c: c["rules"][0].update(protects={"column": "ill", "in": []}),
        lambda c: c["rules"][0].pop("prior"),
        lambda c: c["rules"].extend(c["rules"] * 40),
    ],
)
def test_a_damaged_rule_is_refused(tmp_path, damage):
    released(tmp_path)
    data = plan_of(tmp_path)
    damage(data["confidential"])
    with pytest.raises(JobError, match="damaged"):
        Plan.from_json(sealed(data))


def test_rules_and_suppression_do_not_go_together(tmp_path):
    released(tmp_path)
    data = plan_of(tmp_path)
    data["steps"][-1]["suppress"]["limit_rows"] = 1
    with pytest.raises(JobError, match="damaged"):
        Plan.from_json(sealed(data))


# ---- a later file

ALIKE = [*[("n1", "flu")] * 3, *[("s2", "flu"), ("s2", "cold")] * 2]


def later(folder, rows):
    source = write(folder / "later.csv", rows)
    return pn.apply(folder / "r", source, out=folder / "later")


def test_a_later_file_that_exposes_people_is_refused(tmp_path):
    released(tmp_path, require={"secure": True})
    with pytest.raises(InfeasibleError, match=r"certain about 3 people in 1 class\.") as caught:
        later(tmp_path, ALIKE)
    assert "flu" not in str(caught.value)
    assert caught.value.exit_code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["input.csv", "later.csv", "r"]


def test_a_bound_on_the_worst_risk_is_held_too(tmp_path):
    released(tmp_path, require={"worst_risk": 0.7})
    with pytest.raises(InfeasibleError, match=r"worst_risk is 0\.75 and must be at most 0\.7"):
        later(tmp_path, [*SIX, ("n1", "flu")])
    made, _ = later(tmp_path, [*SIX, ("n1", "cold")])
    assert made.verification.ok


def test_without_a_requirement_the_drift_tells_how_the_rules_stand(tmp_path):
    released(tmp_path)
    made, drift = later(tmp_path, ALIKE)
    told = drift.to_json()
    assert (told["secure"], told["worst_risk"], told["at_risk"]) == (0, 1.0, 3 / 7)
    assert made.internal.values["secure"] == 0
    page = (tmp_path / "later" / "internal" / "report.html").read_text()
    posterior = re.search(r"largest posterior of a secret</th>(.*?)</tr>", page)
    assert posterior is not None
    assert posterior[1].count('<td class="num">100 %</td>') == 2  # before and after
    assert pn.verify(tmp_path / "later", against=tmp_path / "later.csv").ok


def test_new_values_fulfil_what_they_are_said_to_fulfil(tmp_path):
    """`ill = flu` is not fulfilled by a new illness, `pay >= 20` is by a new pay of 90."""
    columns = {
        "home": {"role": "quasi", "hierarchy": "suppress"},
        "pay": {"role": "sensitive", "type": "number"},
    }
    rows = [("n1", "20"), ("n1", "10"), ("s2", "30"), ("s2", "10")]
    source = write(tmp_path / "input.csv", rows, ("home", "pay"))
    data = {"columns": columns, "objectives": ["ql"], "confidential": [{"say": "pay >= 20"}]}
    job = pn.make_job(data | {"require": {"secure": True}}, table=source)
    pn.release(job, levels={"home": 0}, out=tmp_path / "r")
    source = write(tmp_path / "later.csv", [("n1", "90"), ("n1", "95")] * 2, ("home", "pay"))
    with pytest.raises(InfeasibleError, match="certain about 4 people"):
        pn.apply(tmp_path / "r", source, out=tmp_path / "later")


def test_a_named_value_may_be_gone_and_another_one_new(tmp_path):
    released(tmp_path, require={"secure": True})
    made, drift = later(
        tmp_path, [(home, ill) for home in ("n1", "s2") for ill in ("gout", "cold", "cold")]
    )
    assert drift.to_json()["worst_risk"] == 0
    assert made.verification.ok
