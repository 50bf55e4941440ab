"""What `import paretonym as pn` offers of groups."""

from __future__ import annotations

import paretonym as pn


def test_groups_are_found_on_first_use():
    assert pn.groups.thompson_tau([1, 2, 3, 2, 1, 90]) == [5]
    assert pn.groups.adequacy([0], [0], size=3).tp == 1
    assert "groups" in pn.__all__
