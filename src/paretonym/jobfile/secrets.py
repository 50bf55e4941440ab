"""The forms of what a job keeps confidential; docs/job-file.md explains them."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field

from paretonym.errors import nearest
from paretonym.jobfile import texts as text
from paretonym.jobfile.keys import Reads, key
from paretonym.jobfile.texts import Form, Rate, Saying, Share
from paretonym.model.job import Genetic, SecretSpec, Security
from paretonym.model.secret import MOST_CONDITIONS, MOST_SECRETS

Domains = Literal["declared", "observed"]


def _damage(value: Any) -> Fraction:
    number = text.read_number(value)
    if number <= 0:
        raise text.fault("a damage must be above zero; 1 is the usual one")
    return Fraction(number)


class SecretForm(Form):
    """One rule: what nobody may learn, about whom, and what it would do to them."""

    say: Annotated[
        Saying,
        key(
            "nobody may be certain that this is true of a person. It names columns that are kept "
            "and are not quasi-identifiers",
            "income < 18000 and diagnosis = depression",
        ),
    ]
    condition: Annotated[
        Saying | None,
        key(
            "about a person's own record, on any columns: whom the rule protects",
            "age < 40",
            unset="everybody",
        ),
    ] = Field(None, alias="for")
    damage: Annotated[
        Fraction,
        Reads(_damage, "a number above zero"),
        key("how much the rule weighs among those that protect the same person", "2"),
    ] = Fraction(1)
    prior: Annotated[
        Share | None,
        key(
            "how likely the sentence is of anybody before the release is seen",
            "2%",
            unset="its share in the table",
        ),
    ] = None

    def spec(self) -> SecretSpec:
        return SecretSpec(self.say, self.condition, self.damage, self.prior)


class GeneticForm(Form):
    """The genetic algorithm of attribute-oriented granulation; the paper prints no values, these
    defaults are ours.
    """

    population: Annotated[
        int, text.whole_between(2, 10_000), key("granulations kept at a time", "50")
    ] = Genetic().population
    generations: Annotated[int, text.whole_between(1, 100_000), key("rounds", "100")] = (
        Genetic().generations
    )
    crossover: Annotated[Rate, key("how often two of them are crossed", "80%")] = (
        Genetic().crossover
    )
    mutation: Annotated[Rate, key("how often a bit of their code is flipped", "2%")] = (
        Genetic().mutation
    )


class SecurityForm(Form):
    """How confidentiality is measured, and how an optimum is looked for."""

    at_risk: Annotated[
        Share, key("a person is at risk when a secret is likelier than this in their class", "25%")
    ] = Security().at_risk
    domain: Annotated[
        Domains,
        text.one_of(Domains, "domain"),
        key(
            "which values of a column `ql` counts: all that its hierarchy lists, or those that "
            "occur",
            "observed",
        ),
    ] = Security().domain
    genetic: Annotated[
        GeneticForm, key("the algorithm that `secure` runs to compare", "{population: 100}")
    ] = GeneticForm()

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
