"""Numbers published elsewhere: the papers' own, a peer's, and another library's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from paretonym import datasets
from paretonym.jobfile.loading import load_job, parse_job
from paretonym.lattice import Lattice
from paretonym.measures.plain import thresholds
from paretonym.model.granulation import Granulation, partition_from_labels
from paretonym.model.job import Limit
from paretonym.pipeline.fronts import find_front, score
from paretonym.pipeline.open_job import open_job

SHARED = Path(__file__).parents[3] / "shared"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not here")


def chain(length: int) -> Granulation:
    values = [str(v) for v in range(length + 1)]
    levels = [["*" if v <= level else x for v, x in enumerate(values)] for level in range(length)]
    levels[0] = values
    partitions = [partition_from_labels(str(i), labels) for i, labels in enumerate(levels)]
    top = partition_from_labels("top", ["*"] * len(values))
    return Granulation("c", tuple(values), (*partitions, top))


def test_the_lattice_of_table_1a():
    """Dewri et al. 2010, Table 1(a): lengths 6 3 3 3 1 1 4 1 give 17,920 nodes, 8,960 without the
    last.
    """
    chains = [chain(length) for length in (6, 3, 3, 3, 1, 1, 4, 1)]
    assert Lattice.of(chains).size == 17_920
    assert Lattice.of(chains[:-1]).size == 8_960
    assert Limit(percent=1).of(30_162) == 301


@pytest.mark.parametrize(
    ("sizes", "limit", "k", "suppressed"),
    [
        ([1, 1, 1, 2, 3, 5], 0, 1, 0),
        ([1, 1, 1, 2, 3, 5], 3, 2, 3),
        ([1, 1, 1, 2, 3, 5], 5, 3, 5),
        ([1, 1, 1, 2, 3, 5], 12, 5, 8),
        ([4, 4], 7, 4, 0),
    ],
)
def test_the_papers_suppression_rule(sizes, limit, k, suppressed):
    """Dewri et al. 2010, section 6: the largest k the limit allows, whole sizes at a time."""
    size = np.array(sizes)
    found = thresholds(size, np.zeros(len(size), np.bool_), limit=limit, rule="paper")
    assert found == [k]
    assert size[size < k].sum() == suppressed


def test_the_bundled_table_has_every_node_evaluated():
    job = load_job(datasets.path("adult/job.yaml"))
    with open_job(job) as opened:
        assert opened.lattice.size == 17_920
        assert opened.limit == 301


def peer_job(case: dict[str, object], **extra: object) -> object:
    folder = SHARED / "data" / "adult"
    columns = {
        name: {"role": "quasi", "hierarchy": {"file": str(folder / f"adult_hierarchy_{name}.csv")}}
        for name in case["qi"]
    }
    data = {
        "table": {"path": str(folder / "adult.csv"), "delimiter": ";"},
        "columns": columns,
        "objectives": [case["measure"]],
        "require": case["require"],
        "suppression": {"limit": case["suppression"], "rule": "required"},
    }
    return parse_job(data | extra, base=folder)


def measured() -> list[dict[str, object]]:
    path = SHARED / "peer_cases.json"
    return json.loads(path.read_text())["measured"] if path.is_file() else []


@needs_shared
@pytest.mark.parametrize("case", measured(), ids=lambda c: f"{c['measure']}-{c['suppression']}")
def test_the_peers_optimum(case):
    front = find_front(peer_job(case))
    assert front.nodes == case["lattice"]
    (best,) = front.entries
    assert [best.levels[name] for name in case["qi"]] == case["best_levels"]
    assert best.values[case["measure"]] == pytest.approx(case["value"], rel=1e-8)
    assert best.suppressed == case["suppressed"]


def test_k_and_l_agree_with_pycanon():
    """An independent library on clean data: the released file of one node."""
    pycanon = pytest.importorskip("pycanon.anonymity")
    import pandas as pd

    table = datasets.adult().to_pandas().head(4_000).astype(str)
    columns = {name: {"role": "insensitive"} for name in table.columns}
    quasi = ["workclass", "race", "sex"]
    for name in quasi:
        columns[name] = {"role": "quasi", "hierarchy": "suppress"}
    columns["occupation"] = {"role": "sensitive"}
    job = parse_job(
        {"columns": columns, "objectives": ["k", "distinct_l(occupation)"]},
        base=Path(),
        table=table,
    )
    for levels in ((0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 0)):
        shown = pd.DataFrame(
            {name: "*" if level else table[name] for name, level in zip(quasi, levels, strict=True)}
        )
        shown["occupation"] = table["occupation"]
        found = score(job, dict(zip(quasi, levels, strict=True)))
        assert found.values["k"] == pycanon.k_anonymity(shown, quasi)
        assert found.values["distinct_l(occupation)"] == pycanon.l_diversity(
            shown, quasi, ["occupation"]
        )
