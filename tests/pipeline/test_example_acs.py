"""The American Community Survey example, where its files are at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paretonym.jobfile.loading import load_job, parse_job
from paretonym.jobfile.yaml import read_yaml
from paretonym.pipeline.grouping import signals_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "acs.yaml"
DATA = Path(__file__).parents[3] / "shared" / "data"
STATES = {"31": "ne", "35": "nm", "16": "id", "33": "nh", "44": "ri", "56": "wy"}


def shared(name: str) -> str:
    """The shared file that stands for one of the Census Bureau's."""
    state = STATES.get(Path(name).stem.removeprefix("psam_p"))
    return str(DATA / (f"acs2018/person_{state}.csv.gz" if state else "acs2015/person_hi.csv.gz"))


def test_the_example_loads():
    (group,) = load_job(EXAMPLE).groups
    assert {variable.column for variable in group.variables} == set(group.basic)
    assert not set(group.basic) & set(group.remove)


@pytest.mark.skipif(not (DATA / "acs2015").is_dir(), reason="the shared files are not here")
def test_the_example_fits_its_files():
    """31 areas with 100 or more workers, 5 of them with 15 or more members (counted with awk)."""
    data: dict[str, Any] = read_yaml(EXAMPLE.read_text(encoding="utf-8"), "acs.yaml").data
    data["table"] = [shared(name) for name in data["table"]]
    auxiliary = data["groups"]["armed forces"]["auxiliary"]
    auxiliary["table"] = [shared(name) for name in auxiliary["table"]]
    (found,) = signals_of(parse_job(data, base=EXAMPLE.parent))
    signals = found.signals
    assert (signals.records, signals.members) == (15_913, 191)
    assert [region.region for region in signals.regions] == ["016", "031", "033", "035"]
    assert (signals.left_out.regions, signals.left_out.region_members) == (1, 0)
    assert sum(len(region.areas) for region in signals.regions) == 30  # one is in Massachusetts
    many = {
        area: quantity
        for region in signals.regions
        for area, quantity in zip(region.areas, region.quantity, strict=True)
        if quantity >= 15
    }
    assert many == {"016-01000": 25, "031-00702": 39, "035-00400": 22, "035-00790": 30,
                    "035-01100": 36}  # fmt: skip
    assert "031-00702" in signals.regions[1].judged["quantity"].outliers
    assert found.harmonised is not None
    assert found.harmonised.auxiliary.before == 7_552
    assert found.harmonised.auxiliary.members_before == 511
