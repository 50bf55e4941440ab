"""`reproduce attack` on files of the American Community Survey, where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.calling import call, files_under

from paretonym.errors import JobError
from paretonym.groups.classifiers import installed
from paretonym.papers import reproducing
from paretonym.papers.attack import running as reproducing_attack
from paretonym.papers.attack.facts import AttackFacts, SplitFacts
from paretonym.papers.attack.page import panels
from paretonym.papers.attack.running import SPLITS, survey_job
from paretonym.papers.attack.survey_files import FILES, HI, HI_2015, NE, find_files
from paretonym.papers.attack.tables import attack_tables
from paretonym.papers.facts import markdown
from paretonym.pipeline import attacking
from paretonym.report.attack import chance_auc

DATA = Path(__file__).parents[3] / "shared" / "data"
needs_files = pytest.mark.skipif(
    not (DATA / "acs2015").is_dir(), reason="the shared files are not here"
)


def filled(folder: Path, names: list[str]) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def test_the_bureau_s_names_are_found(tmp_path: Path) -> None:
    names = [one.name + (".gz" if place % 2 else "") for place, one in enumerate(FILES)]
    found = find_files(filled(tmp_path, names))
    assert [found[one].name for one in FILES] == names


def test_a_folder_for_each_year_is_found(tmp_path: Path) -> None:
    states = ("ne", "nm", "id", "nh", "ri", "wy", "hi")
    names = [f"acs2018/person_{state}.csv.gz" for state in states]
    found = find_files(filled(tmp_path, [*names, "acs2015/person_hi.csv"]))
    assert len(found) == len(FILES) == 8
    assert found[NE] == tmp_path / "acs2018" / "person_ne.csv.gz"
    assert found[HI] == tmp_path / "acs2018" / "person_hi.csv.gz"
    assert found[HI_2015] == tmp_path / "acs2015" / "person_hi.csv"


def test_what_a_folder_lacks_is_listed(tmp_path: Path) -> None:
    filled(tmp_path, [one.name for one in FILES if one not in (NE, HI_2015)])
    with pytest.raises(JobError) as error:
        find_files(tmp_path)
    said = str(error.value)
    assert "lacks 2 of 8 files" in said
    assert "psam_p31.csv (Nebraska, 2018/1-Year/csv_pne.zip)" in said
    assert "ss15phi.csv (Hawaii 2015, 2015/1-Year/csv_phi.zip)" in said


def test_a_folder_beside_is_used_as_far_as_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever followed examples/acs.yaml has no Hawaii of 2018."""
    monkeypatch.chdir(tmp_path)
    assert find_files(None) == {}
    filled(tmp_path / "acs", [one.name for one in FILES if one is not HI])
    found = find_files(None)
    assert set(found) == set(FILES) - {HI}
    assert [all(f in found for f in (*s.auxiliary, *s.target)) for s in SPLITS] == [True, False]


def test_the_splits_share_no_file() -> None:
    for split in SPLITS:
        assert not set(split.auxiliary) & set(split.target)
        assert HI_2015 in split.auxiliary


@needs_files
def test_the_bundled_job_is_taken_as_it_is() -> None:
    """But for its files, the controls and the seed."""
    job = survey_job(SPLITS[0], find_files(DATA), 7)
    (group,) = job.groups
    assert (group.attack.controls, job.search.seed) == (19, 7)
    assert (group.sites, group.smallest_area) == (15, 100)
    assert group.attack.attackers is None
    assert len(job.sources) == 4


@pytest.fixture(scope="module")
def facts() -> AttackFacts:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproducing_attack, "CONTROLS", 1)
        found = reproducing.reproduce("attack", runs=1, threads=2, acs=DATA)
    assert isinstance(found, AttackFacts)
    return found


@needs_files
def test_both_splits_are_attacked(facts: AttackFacts) -> None:
    """31 and 23 areas with 100 or more workers, 5 and 4 of them with 15 or more members."""
    first, second = facts.splits
    assert facts.missing == ()
    assert (first.learnt_from[1], first.looked_at[1]) == (508, 190)
    assert [(one.ranking.positives, one.ranking.areas) for one in facts.splits] == [
        (5, 31),
        (4, 23),
    ]
    assert [one.areas for one in facts.splits] == [30, 22]
    names = ("fuzzy", "logistic", "boosting") if installed() else ("fuzzy",)
    for one in facts.splits:
        assert tuple(attacker.name for attacker in one.attackers) == names
    assert first.states[first.largest.region] == "New Mexico"
    assert second.states[second.largest.region] == "Hawaii"


@needs_files
def test_three_bases_of_new_mexico_hide_each_other(facts: AttackFacts) -> None:
    """22, 30 and 36 members in three of ten areas: the upper quartile is 22 already."""
    split = facts.splits[0]
    region = split.largest
    assert sorted(region.quantity) == [0, 0, 0, 0, 1, 1, 6, 22, 30, 36]
    assert region.judged["quantity"].outliers == ()
    place = split.signals.regions.index(region)
    fuzzy = split.attackers[0]
    assert fuzzy.regions[place].adequacy.fp == split.sites_called_false(place, fuzzy) == 2


@needs_files
def test_five_of_31_are_told_from_chance_only_beyond_its_range(facts: AttackFacts) -> None:
    """The deviation of a chance AUC is the root of 32 / (12 · 5 · 26), 0.143."""
    low, high = chance_auc(facts.splits[0].ranking) or (0, 0)
    assert (round(low, 2), round(high, 2)) == (0.22, 0.78)


@needs_files
def test_the_tables_have_the_paper_s_layout(facts: AttackFacts) -> None:
    tables = {one.title: one for one in attack_tables(facts)}
    assert not any("were not there" in title for title in tables)
    for split in facts.splits:
        start = f"Real people, split {split.key}"
        assert len(tables[f"{start}: Table 5, evolved rules"].rows) == 18
        by_state = tables[f"{start}: Tables 6 and 7, by state"]
        lines = (len(split.signals.regions) + 1) * len(split.attackers)
        assert len(by_state.rows) == lines
        assert "can prove little" in tables[f"{start}: how well outliers are found"].says
    drawn = panels(facts)
    assert len(drawn) == 1 + sum(len(one.attackers) for one in facts.splits)


@needs_files
def test_the_documentation_shows_the_evolved_rules(facts: AttackFacts) -> None:
    """They depend on no control; the tables that do are compared in part."""
    page = Path(__file__).parents[2] / "docs" / "reproduction.md"
    text = page.read_text(encoding="utf-8")
    for table in attack_tables(facts):
        if "evolved rules" in table.title or "by state" in table.title:
            assert markdown([table]) in text


@needs_files
def test_the_command_reads_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facts: AttackFacts
) -> None:
    monkeypatch.setattr(reproducing_attack, "CONTROLS", 1)
    out = tmp_path / "out"
    result = call("reproduce", "attack", "--runs", 1, "--threads", 1, "--acs", DATA, "--json",
                  "-q", "-o", out)  # fmt: skip
    assert (result.code, result.err) == (0, "")
    assert result.json == json.loads(json.dumps(facts.to_json()))
    assert str(DATA) not in "".join(text.decode() for text in files_under(out).values())


@needs_files
def test_without_scikit_learn_the_rules_attack_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacking, "installed", lambda: False)
    monkeypatch.setattr(reproducing_attack, "CONTROLS", 0)
    split: SplitFacts = reproducing_attack._surveyed(
        SPLITS[1], find_files(DATA), 1, 2, reproducing_attack.Silent()
    )
    assert [one.name for one in split.attackers] == ["fuzzy"]
    assert any("only the fuzzy rules were tried" in note for note in split.notes)
