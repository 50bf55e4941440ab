"""Files of the American Community Survey, which Tavrov and Chertov 2016 is tried on where they are
at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from paretonym.errors import JobError
from paretonym.papers.attack.facts import SurveyFile

FOLDER = "acs"  # in the working directory, when no other is given
_SUFFIXES = ("", ".gz")

NE = SurveyFile("Nebraska", "psam_p31.csv", "2018/1-Year/csv_pne.zip")
NM = SurveyFile("New Mexico", "psam_p35.csv", "2018/1-Year/csv_pnm.zip")
ID = SurveyFile("Idaho", "psam_p16.csv", "2018/1-Year/csv_pid.zip")
NH = SurveyFile("New Hampshire", "psam_p33.csv", "2018/1-Year/csv_pnh.zip")
RI = SurveyFile("Rhode Island", "psam_p44.csv", "2018/1-Year/csv_pri.zip")
WY = SurveyFile("Wyoming", "psam_p56.csv", "2018/1-Year/csv_pwy.zip")
HI = SurveyFile("Hawaii", "psam_p15.csv", "2018/1-Year/csv_phi.zip")
HI_2015 = SurveyFile("Hawaii 2015", "ss15phi.csv", "2015/1-Year/csv_phi.zip")
FILES = (NE, NM, ID, NH, RI, WY, HI, HI_2015)

STATES: Mapping[str | None, str] = {  # as the column POWSP codes them
    "015": "Hawaii", "016": "Idaho", "031": "Nebraska", "033": "New Hampshire",
    "035": "New Mexico", "044": "Rhode Island", "056": "Wyoming",
}  # fmt: skip


def find_files(folder: Path | None) -> dict[SurveyFile, Path]:
    """Where each file lies; a folder that was asked for must hold all of them."""
    if folder is None:
        default = Path(FOLDER)
        return _found(default) if default.is_dir() else {}
    if not folder.is_dir():
        raise JobError(f"--acs: there is no folder '{folder}'")
    found = _found(folder)
    lacking = [f"{one.name} ({one.place}, {one.archive})" for one in FILES if one not in found]
    if lacking:
        raise JobError(
            f"--acs: '{folder}' lacks {len(lacking)} of {len(FILES)} files: {', '.join(lacking)}; "
            f"examples/acs.yaml says where they are fetched from"
        )
    return found


def _found(folder: Path) -> dict[SurveyFile, Path]:
    found = {}
    for one in FILES:
        places = (folder / (name + suffix) for name in _names(one) for suffix in _SUFFIXES)
        path = next((place for place in places if place.is_file()), None)
        if path is not None:
            found[one] = path.absolute()
    return found


def _names(file: SurveyFile) -> tuple[str, str]:
    """The Census Bureau's, and a folder for each year with a file for each state."""
    year, state = file.archive[:4], file.archive.removesuffix(".zip")[-2:]
    return file.name, f"acs{year}/person_{state}.csv"
