"""The forms of what a job keeps confidential; each field is described in docs/job-file.md."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal, cast

from pydantic import Field, PlainValidator

from paretonym.app import job_text as text
from paretonym.app.job_text import Form, Saying
from paretonym.errors import nearest
from paretonym.model.job import Genetic, SecretSpec, Security
from paretonym.model.secret import MOST_CONDITIONS, MOST_SECRETS

Domains = Literal["declared", "observed"]


def _damage(value: Any) -> Fraction:
    number = text.read_number(value)
    if number <= 0:
        raise text.fault("a damage must be above zero; 1 is the usual one")
    return Fraction(number)


def _domain(value: Any) -> Domains:
    return cast(Domains, text.choice(value, ["declared", "observed"], "domain"))


class SecretForm(Form):
    """One rule: what nobody may learn, about whom, and what it would do to them."""

    say: Saying
    condition: Saying | None = Field(None, alias="for")
    damage: Annotated[Fraction, PlainValidator(_damage)] = Fraction(1)
    prior: Annotated[Fraction, PlainValidator(text.read_share)] | None = None

    def spec(self) -> SecretSpec:
        return SecretSpec(self.say, self.condition, self.damage, self.prior)


class GeneticForm(Form):
    """Parameters of the genetic algorithm of paper 002."""

    population: Annotated[int, text.whole_between(2, 10_000)] = Genetic().population
    generations: Annotated[int, text.whole_between(1, 100_000)] = Genetic().generations
    crossover: Annotated[float, PlainValidator(text.read_rate)] = Genetic().crossover
    mutation: Annotated[float, PlainValidator(text.read_rate)] = Genetic().mutation


class SecurityForm(Form):
    """How confidentiality is measured, and how an optimum is looked for."""

    at_risk: Annotated[Fraction, PlainValidator(text.read_share)] = Security().at_risk
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
