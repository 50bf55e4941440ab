"""A table without names in its first row, uploaded: asked about, and never published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.web import journey
from tests.web.asking import asking

RECORDS = "".join(f"{20 + i % 40},{'fm'[i % 2]},{'flu' if i % 3 else 'HIV'}\n" for i in range(120))


def test_the_api_says_what_is_to_be_said(tmp_path: Path) -> None:
    with asking(tmp_path / "house") as (client, server_state):
        refused = client.post("/api/tables?name=t.csv", content=RECORDS.encode())
        assert (refused.status_code, refused.json()["kind"]) == (400, "header")
        assert "HIV" not in refused.text
        assert not server_state.projects
        made = client.post("/api/tables?name=t.csv&header=false", content=RECORDS.encode()).json()
        assert made["order"]["columns"] == ["column_1", "column_2", "column_3"]
        columns = client.get(f"/api/projects/{made['id']}/columns").json()
        assert columns["rows"] == 120


def test_the_start_page_asks(served: Any, visit: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(RECORDS, encoding="utf-8")
    page = visit(served().address)
    journey.await_start(page)
    page.set_input_files("#file", tmp_path / "t.csv")
    page.get_by_role("alert").filter(has_text="looks like somebody's record").wait_for()
    assert page.evaluate("() => document.activeElement.id") == "header"
    visit.complaints.clear()
    page.select_option("#header", "false")
    page.set_input_files("#file", tmp_path / "t.csv")
    journey.await_columns(page)
    assert "column_1" in page.inner_text("#room")
