"""The generated population with bases, and the example that looks for them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from paretonym import datasets
from paretonym.datasets.bases import AREAS_A_REGION, REGIONS
from paretonym.errors import JobError
from paretonym.jobfile.loading import load_job
from paretonym.pipeline.grouping import signals_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "bases.yaml"


def test_equal_arguments_give_equal_tables():
    first = datasets.bases(2_000, seed=7)
    assert first.equals(datasets.bases(2_000, seed=7))
    assert not first.equals(datasets.bases(2_000, seed=8))


def test_no_rows_and_fewer():
    assert datasets.bases(0, seed=1).num_rows == 0
    with pytest.raises(JobError, match="-1 rows"):
        datasets.bases(-1, seed=1)


@pytest.mark.parametrize("seed", range(1, 9))
def test_eight_bases_lie_elsewhere_for_every_seed(seed):
    places = datasets.base_areas(seed)
    assert len(set(places)) == 8
    assert {place.split("-")[0] for place in places} == set(REGIONS)
    assert places != datasets.base_areas(seed + 1)
    assert len(REGIONS) * AREAS_A_REGION >= 60


def test_soldiers_are_unlike_others():
    people = datasets.bases(20_000, seed=3).to_pylist()
    workers = [p for p in people if p["occupation"]]
    soldiers = [p for p in workers if p["occupation"].startswith("55")]
    others = [p for p in workers if not p["occupation"].startswith("55")]

    def share(group, key, values):
        return sum(p[key] in values for p in group) / len(group)

    assert share(soldiers, "sex", {"m"}) > share(others, "sex", {"m"}) + 0.3
    assert share(soldiers, "commute", {"walked"}) > share(others, "commute", {"walked"}) + 0.2
    for key, least in (("hours", 8), ("age", -20), ("income", -5_000)):
        means = [sum(int(p[key]) for p in group) / len(group) for group in (soldiers, others)]
        assert (means[0] - means[1]) / least > 0.5, key


def test_who_does_not_work_has_no_area():
    for person in datasets.bases(5_000, seed=4).to_pylist():
        keys = ("occupation", "work_region", "work_area", "hours", "commute")
        assert len({bool(person[key]) for key in keys}) == 1
        assert bool(person["minutes"]) == (person["commute"] not in {"", "home"})


def test_soldiers_gather_at_the_bases():
    found = Counter(
        f"{p['work_region']}-{p['work_area']}"
        for p in datasets.bases(20_000, seed=5).to_pylist()
        if p["occupation"].startswith("55")
    )
    assert {area for area, _ in found.most_common(8)} == set(datasets.base_areas(5))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PARETONYM_CACHE", str(tmp_path))


@pytest.mark.usefixtures("cache")
def test_the_example():
    """Every base stands out, and hardly anything else does."""
    job = load_job(EXAMPLE)
    (found,) = signals_of(job)
    outliers = {
        area for region in found.signals.regions for area in region.judged["quantity"].outliers
    }
    assert outliers >= set(datasets.base_areas(1))
    assert len(outliers) <= 9
    assert sum(len(region.areas) for region in found.signals.regions) == 72
    assert found.harmonised is not None
    assert found.harmonised.notes == ()
    assert job.source.data != job.groups[0].auxiliary.sources[0].data
