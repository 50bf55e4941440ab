"""Draws the pictures of docs/group-anonymity.md from the example: python docs/make_pictures.py"""

from __future__ import annotations

from pathlib import Path

from paretonym.jobfile.loading import load_job
from paretonym.pipeline.attacking import attacks_of
from paretonym.pipeline.protecting import protect_groups
from paretonym.report.attack_page import region_figure
from paretonym.report.protect import before_and_after

HERE = Path(__file__).parent
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" style="background:#fff" '


def main() -> None:
    job = load_job(HERE.parent / "examples" / "bases.yaml")
    (attack,) = attacks_of(job)
    (group,) = protect_groups(job).groups
    drawn = {
        "attack": region_figure(attack, 0, attack.signals.regions[0]),
        "protected": before_and_after(group.stages[0].regions[0]),
    }
    (HERE / "pictures").mkdir(exist_ok=True)
    for name, picture in drawn.items():
        file = HERE / "pictures" / f"bases-{name}.svg"
        file.write_text(picture.replace("<svg ", HEAD, 1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
