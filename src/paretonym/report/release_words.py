"""The words of both reports of a release: sections, roles, ways to repeat a check, citations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paretonym.report import words

ROLES = {
    "quasi": "key: may be known to an outsider",
    "sensitive": "what an outsider may want to learn",
    "target": "what analysts may want to predict",
    "insensitive": "passed through",
    "weight": "survey weight",
}
STATEMENTS = {"sha256": "SHA-256 of the file", "columns": "columns"}
ONE_CLASS = "all rows as one class (k without key columns)"

# what somebody who uses a release may want to name beside the software: for what, and the paper,
# with as much of its source as our copies of the papers tell
CITATIONS = {
    "front": (
        "the front and the measures of single persons",
        "Dewri, R., Ray, I., Ray, I. and Whitley, D. (2010). On the Identification of Property "
        "Based Generalizations in Microdata Anonymization. Data and Applications Security and "
        "Privacy (DBSec 2010), pp. 81–96. doi:10.1007/978-3-642-13739-6_6",
    ),
    "losses": (
        "the losses GLM and CM",
        "Iyengar, V. S. (2002). Transforming data to satisfy privacy constraints. KDD 2002.",
    ),
    "swaps": (
        "the exchange of values between similar records",
        "Chertov, O. and Tavrov, D. (2017). Improving efficiency of providing data group anonymity "
        "by automating data modification quality evaluation. doi:10.15587/1729-4061.2017.113046",
    ),
    "adversaries": (
        "adversaries who look for a group with a third party’s data",
        "Tavrov, D. and Chertov, O. (2016). Evolutionary approach to violating group anonymity "
        "using third-party data.",
    ),
    "rules": (
        "rules of confidentiality, security and quality",
        "the paper that proposes “attribute-oriented granulation as a data protection mechanism” "
        "(our copy names neither authors nor year)",
    ),
}
SINGLE_PERSONS = ("front", "losses")

METHODS = {
    "flow": "minimum-cost flow",
    "memetic": "memetic algorithm as published",
    "improved": "memetic algorithm, improved",
}
AGAINST = {
    "attributes": "the group by its attributes",
    "model": "the group as fuzzy rules tell it",
    "both": "the group by its attributes, and as fuzzy rules tell it",
}
SIDES = {"both": "areas with many members and with few", "upper": "areas with many members"}

RULES = {
    "required": "classes that violate a requirement, and no others",
    "staircase": "classes that violate a requirement; then every threshold within the limit is a "
    "candidate",
    "paper": "classes that violate a requirement; then as far as the largest k within the limit",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A part of both reports, under the same number in each."""

    number: int
    anchor: str
    inside: str  # its title in the internal report
    public: str


_TITLES = (
    ("purpose", "Purpose and variables", "Purpose and variables"),
    ("scenario", "Disclosure scenario and keys", "Disclosure scenario and keys"),
    ("risk", "Risk before and after", "Risk: what is promised"),
    ("utility", "Utility before and after", "Utility: what analysts should know"),
    ("methods", "Methods and parameters", "Methods"),
    ("suppression", "Suppression by variable and by domain", "Suppression"),
    ("verification", "Verification", "Verification"),
    ("software", "Software and how to cite", "Software and how to cite"),
)
SECTIONS = {line[0]: Section(number, *line) for number, line in enumerate(_TITLES, start=1)}


def how_to_repeat(name: str, quasi: Sequence[str]) -> str:
    """What a recipient counts, with any tool, to get the number of a promise."""
    if name in _FIXED:
        return _FIXED[name]
    info, parsed = words.known(name)
    way = info.repeat if quasi else info.repeat_without_quasi
    return parsed.fill(way, quasi=words.listed(quasi))


_FIXED = {
    "rows": "count the rows of the file, without its header",
    "sha256": "compute the file’s SHA-256",
    "columns": "compare the header with manifest.json",
}
