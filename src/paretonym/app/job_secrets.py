"""The forms of what a job keeps confidential; each field is described in docs/job-file.md."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal, cast

from pydantic import Field, PlainValidator

from paretonym.app import job_text as text
from paretonym.app.job_text import Form
from paretonym.errors import SentenceError, nearest
from paretonym.model.job import Genetic, SecretSpec, Security
from paretonym.model.secret import FINEST_SHARE, MOST_CONDITIONS, MOST_SECRETS
from paretonym.model.sentence import Sentence, parse_sentence

Domains = Literal["declared", "observed"]


def _sentence(value: Any) -> Sentence:
    try:
        return parse_sentence(text.read_said(value))
    except SentenceError as error:
        raise text.fault(str(error)) from None


def _damage(value: Any) -> Fraction:
    number = text.read_number(value)
    if number <= 0:
        raise text.fault("a damage must be above zero; 1 is the usual one")
    return Fraction(number)


def _share(value: Any) -> Fraction:
    """A percentage between the ends; a bare fraction could be taken for one."""
    match = text.PERCENT.fullmatch(value) if isinstance(value, str) else None
    if match is None or not 0 < Decimal(match[1]) < 100:
        raise text.fault("expected a percentage above 0% and below 100%, such as 50%")
    share = Fraction(Decimal(match[1])) / 100
    if share.denominator > FINEST_SHARE:
        raise text.fault("at most four decimals are told apart; write 0.01% or 33.3333%")
    return share


def _rate(value: Any) -> float:
    match = text.PERCENT.fullmatch(value) if isinstance(value, str) else None
    if match is None or not 0 <= Decimal(match[1]) <= 100:
        raise text.fault("expected a percentage from 0% to 100%, such as 80%")
    return float(Decimal(match[1]) / 100)


def _some(least: int, most: int) -> PlainValidator:
    def read(value: Any) -> int:
        number = text.read_whole(value)
        if not least <= number <= most:
            raise text.fault(f"expected a whole number from {least} to {most:,}")
        return number

    return PlainValidator(read)


def _domain(value: Any) -> Domains:
    return cast(Domains, text.choice(value, ["declared", "observed"], "domain"))


class SecretForm(Form):
    """One rule: what nobody may learn, about whom, and what it would do to them."""

    say: Annotated[Sentence, PlainValidator(_sentence)]
    condition: Annotated[Sentence, PlainValidator(_sentence)] | None = Field(None, alias="for")
    damage: Annotated[Fraction, PlainValidator(_damage)] = Fraction(1)
    prior: Annotated[Fraction, PlainValidator(_share)] | None = None

    def spec(self) -> SecretSpec:
        return SecretSpec(self.say, self.condition, self.damage, self.prior)


class GeneticForm(Form):
    """Parameters of the genetic algorithm of paper 002."""

    population: Annotated[int, _some(2, 10_000)] = Genetic().population
    generations: Annotated[int, _some(1, 100_000)] = Genetic().generations
    crossover: Annotated[float, PlainValidator(_rate)] = Genetic().crossover
    mutation: Annotated[float, PlainValidator(_rate)] = Genetic().mutation


class SecurityForm(Form):
    """How confidentiality is measured, and how an optimum is looked for."""

    at_risk: Annotated[Fraction, PlainValidator(_share)] = Security().at_risk
    domain: Annotated[Domains, PlainValidator(_domain)] = Security().domain
    genetic: GeneticForm = GeneticForm()

    def spec(self) -> Security:
        return Security(self.at_risk, self.domain, Genetic(**self.genetic.model_dump()))


Secrets = Annotated[tuple[SecretForm, ...], Field(min_length=1, max_length=MOST_SECRETS)]


def faults_of(
    rules: tuple[SecretForm, ...], quasi: list[str], dropped: list[str], names: list[str]
) -> list[text.Problem]:
    """What is wrong with the rules as a whole, or with the columns that they speak of."""
    problems: list[text.Problem] = []
    for number, rule in enumerate(rules):
        where = ("confidential", number, "say")
        for column in rule.say.columns:
            if column in quasi:
                fault = (
                    f"column {text.shown(column)} is a quasi-identifier, which an outsider knows "
                    f"already; a secret is about other columns"
                )
                problems.append((where, fault))
            elif column in dropped:
                fault = f"column {text.shown(column)} is dropped, so nobody learns it from the file"
                problems.append((where, fault))
        both = (("say", rule.say), ("for", rule.condition))
        problems += [
            (("confidential", number, key), _unknown(column, names))
            for key, sentence in both
            if sentence is not None
            for column in sentence.columns
            if column not in names
        ]
    conditions = {str(rule.condition) for rule in rules if rule.condition is not None}
    if len(conditions) > MOST_CONDITIONS:
        fault = f"at most {MOST_CONDITIONS} different conditions under for: are told apart"
        problems.append((("confidential",), fault))
    return problems


def _unknown(column: str, names: list[str]) -> str:
    return f"there is no column {text.shown(column)} in columns{nearest(column, names)}"
