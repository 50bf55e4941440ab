"""What is said of adversaries after a protection."""

from __future__ import annotations

import pytest

from paretonym.groups.adequacy import Adequacy
from paretonym.groups.attack import Attacked, Ranking, Restored
from paretonym.report.protect import against


def attacked(auc: float | None, recovered: int, *, areas: int = 72) -> Attacked:
    """Eight places among so many areas."""
    found = Adequacy(tp=recovered, fp=0, fn=8 - recovered, tn=areas - 8)
    region = Restored("r", (), (), (), (), (), (), found)
    return Attacked("logistic", (), (), (region,), {}, Ranking(auc, None, 8, areas), ())


@pytest.mark.parametrize(
    ("auc", "areas", "backwards"),
    [
        (0.22, 72, "0.78"),
        (0.18, 72, "0.82"),
        # 95 of 100 rankings by chance reach 0.29 with 8 of 72 places, and 0.20 with 8 of 16
        (0.30, 72, None),
        (0.47, 72, None),
        (0.22, 16, None),
        (1.0, 72, None),
        (None, 72, None),
    ],
)
def test_places_that_rank_last_are_told_as_well(auc, areas, backwards):
    said = against(attacked(1.0, 8, areas=areas), attacked(auc, 0, areas=areas))
    assert said.startswith("Logistic regression: 8 of 8 places recovered before, 0 after")
    assert ("read the ranking backwards" in said) == (backwards is not None)
    if backwards:
        assert said.endswith(f"with an AUC of {backwards}.")
