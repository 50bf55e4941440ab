"""What a column's name says about it: whole words only, and the last one that is known counts."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Hint = Literal["identifier", "weight", "sensitive", "quasi"]


def several(text: str) -> frozenset[str]:
    return frozenset(text.split())


IDENTIFIER = """
    id ids uid uuid guid pid hid hhid record serial serialno name names surname forename
    firstname lastname fullname middlename username nickname initials nom prenom vorname nachname
    nombre apellido ssn svnr nin nhs mrn passport license licence plate vin email mail phone
    telephone tel mobile cell fax address street url website ip account acct iban card signature
"""
WEIGHT = "weight weights wgt wt pwgtp wgtp fnlwgt afnlwgt finalweight"
SENSITIVE = """
    disease diseases diagnosis diagnoses illness symptom symptoms treatment medication drug drugs
    health hiv cancer disability disabled dis icd income incomes salary salaries wage wages wagp
    pincp pernp earnings pay bonus savings wealth debt debts assets expend expenditure tax taxes
    loan credit benefit benefits welfare insurance religion religious faith belief politics
    political vote party orientation sexuality occupation occupations occp socp profession job
    crime crimes offence offense conviction
"""
QUASI = """
    age ages agep sex gender birth birthday birthdate birthyear born dob dateofbirth death zip
    zipcode postcode postal plz race rac1p ethnic ethnicity hisp hispanic origin ancestry education
    educational school schooling schl degree marital married marriage mar civil spouse country
    nationality citizen citizenship cit native nativity immigrant region state county city town
    municipality province district borough puma powpuma fips place location area urban rural
    language family relationship relation relp household children kids dependents work workclass
    employment employer employed industry sector cow veteran military height build date year month
    day admission discharge hours lat lon lng latitude longitude coordinate coordinates easting
    northing gps
"""
# what has a name or a number of its own that is not a person's: region_name, school_id
NAMED_THINGS = several("""
    country nationality region state county city town municipality province district borough puma
    fips place location area school employer industry sector language degree
""")
HEADS_END = several("at of in on from by for since")
# such a weight is no survey weight
BODILY = several("body birth kg lb lbs pounds kilos")

KNOWN: dict[str, Hint] = {
    **dict.fromkeys(QUASI.split(), "quasi"),
    **dict.fromkeys(SENSITIVE.split(), "sensitive"),
    **dict.fromkeys(WEIGHT.split(), "weight"),
    **dict.fromkeys(IDENTIFIER.split(), "identifier"),
}
POSTAL = several("zip zipcode postcode postal plz")
CODED = POSTAL | several("code puma powpuma fips occp socp naics")


def words_of(name: str) -> tuple[str, ...]:
    """`birthDate`, `birth-date` and `BIRTH_DATE` are two words; `RAC1P` is also one.

    Accents are left out, and a name at the end is a word of its own: `prénom`, `UTILNAME`.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain)
    words = re.findall(r"[^\W\d_]+", spaced.casefold())
    joined = re.sub(r"[\W_]+", "", plain.casefold())
    found = words if joined in words else [joined, *words]
    if joined.endswith("name") and "name" not in found and joined not in KNOWN:
        found.append("name")
    return tuple(found)


def hint_of(words: tuple[str, ...]) -> tuple[Hint, str] | None:
    """The hint and the word that gives it: in `family_income` the last, in `date_of_income` the
    one before `of`."""
    ends = [i for i, word in enumerate(words) if word in HEADS_END]
    for part in (words[: ends[0]] if ends else (), words):
        for word in reversed(part):
            if word in KNOWN and not (KNOWN[word] == "weight" and BODILY & set(words)):
                return KNOWN[word], word
    return None
