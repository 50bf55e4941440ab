"""What decided a release, for its internal report: bounds, rules, groups, search and seed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from paretonym.model.bound import Bound
from paretonym.model.front import Direction
from paretonym.model.group import GroupSpec
from paretonym.model.measure_info import Unit
from paretonym.model.protect import KeptMargin, Memetic, ProtectSpec, Threshold
from paretonym.model.secret import Secrecy, Secret
from paretonym.model.swap import GroupPromise, Swaps
from paretonym.report import words
from paretonym.report.release_extra import ReleaseExtra, Settings
from paretonym.report.release_words import AGAINST, METHODS, RULES, SIDES
from paretonym.report.words import Basis

if TYPE_CHECKING:
    from paretonym.publishing.manifest import InternalManifest

Parameters = tuple[tuple[str, str], ...]
_LATER = "stand in the report of the protection that made the swaps"


@dataclass(frozen=True, slots=True)
class RuleFacts:
    """One rule of confidentiality as the job states it."""

    says: str
    about: str
    damage: str
    prior: str


def rule_facts(secret: Secret) -> RuleFacts:
    return RuleFacts(
        says=secret.text,
        about=secret.condition or "everybody",
        damage=words.number(float(secret.damage)),
        prior="its share in the table" if secret.prior is None else _share(secret.prior),
    )


def parameters(internal: InternalManifest, extra: ReleaseExtra, basis: Basis) -> Parameters:
    """Thresholds, search and seed, in the order in which they act."""
    settings = extra.settings
    levels = ", ".join(f"{column} = {level}" for column, level in internal.levels.items())
    known = [
        ("levels released", levels),
        ("threshold: classes with fewer rows are left out", words.number(internal.suppress_below)),
    ]
    known = known if internal.levels else []
    seed = [] if internal.seed is None else [("seed of the search", str(internal.seed))]
    done = (("what was done, in this order", "; ".join(extra.steps)),) if extra.steps else ()
    if settings is None:
        asked = _rules_asked(extra.secrecy, basis)
        return (*asked, *_at_risk(extra.secrecy), *known, *done, *seed)
    bounds = [_bound(bound, basis) for bound in settings.require]
    return (
        ("objectives", ", ".join(settings.objectives)),
        ("requirements", "; ".join(bounds) or "none"),
        *_at_risk(extra.secrecy),
        ("rows that may be suppressed, at most", _limit(settings.limit, basis)),
        ("rule of suppression", RULES.get(settings.rule, settings.rule)),
        *known,
        *done,
        ("search asked for", settings.asked + (f", {settings.budget}" if settings.budget else "")),
        ("search that ran", _searched(settings)),
        *(seed or [("seed of the search", "none")]),
    )


def _rules_asked(secrecy: Secrecy, basis: Basis) -> Parameters:
    """A later file has no job; what its plan requires of rules is all that is required."""
    if not secrecy.require:
        return ()
    return (("requirements", "; ".join(_bound(bound, basis) for bound in secrecy.require)),)


def _at_risk(secrecy: Secrecy) -> Parameters:
    if not secrecy.secrets:
        return ()
    return (("a person is at risk when somebody can be surer than", _share(secrecy.at_risk)),)


def _bound(bound: Bound, basis: Basis) -> str:
    long = words.long_name(bound.measure, basis)
    told = words.human(bound.measure, bound.number, basis)
    if words.known(bound.measure)[0].unit is Unit.FLAG:
        return f"{long}: {told}"
    return f"{long} at {'least' if bound.direction is Direction.MAX else 'most'} {told}"


def _limit(limit: int, basis: Basis) -> str:
    share = f" ({words.percent(limit / basis.rows)})" if basis.rows else ""
    return f"{words.number(limit)}{share}"


def _searched(settings: Settings) -> str:
    if settings.used is None:
        return "none: the levels were named by hand"
    how = "complete" if settings.exact else "not proven to be complete"
    return (
        f"{settings.used}: the front is {how}; {words.number(settings.evaluated)} of "
        f"{words.number(settings.nodes)} nodes evaluated"
    )


def exchanges(extra: ReleaseExtra) -> tuple[tuple[str, Parameters], ...]:
    """What decided the exchange of records, group by group."""
    if extra.swaps is None:
        return ()
    done = _exchanged(extra.swaps)
    if extra.groups:
        told = [(spec.name, group_parameters(spec, names)) for spec, names in extra.groups]
    else:
        told = [(one.group, _promised(one)) for one in extra.swaps.promises]
    return (("", done), *told)


def _exchanged(swaps: Swaps) -> Parameters:
    margins = "; ".join(words.listed(margin.columns) for margin in swaps.margins)
    return (
        ("columns exchanged", words.listed(swaps.columns)),
        ("swaps", words.number(len(swaps.pairs))),
        ("counts that stay exactly as they were", margins or "areas"),
    )


def _promised(one: GroupPromise) -> Parameters:
    """What a file of swaps tells; how they were found is not part of it."""
    return (
        *_where(one.parameter, one.region, one.smallest_area),
        *_outlier_parameters(one.signal, one.side, _share(Fraction(one.alpha)), one.ignore),
        ("method, thresholds and limits", _LATER),
    )


def group_parameters(spec: GroupSpec, adversaries: tuple[str, ...]) -> Parameters:
    """Everything that a job says of protecting a group, defaults among it."""
    given, rule = spec.protect or ProtectSpec(), spec.outliers
    return (
        ("members", spec.vital.text),
        ("among", "everybody" if spec.only is None else spec.only.text),
        *_where(spec.parameter, spec.region, spec.smallest_area),
        *_outlier_parameters(rule.signal, rule.side, _share(rule.alpha), rule.ignore),
        ("areas taken for outliers by hand", words.listed(rule.keep) or "none"),
        ("method", METHODS[given.method]),
        *(_evolution(given.memetic) if given.method != "flow" else ()),
        ("protected against", AGAINST[given.against or "attributes"]),
        ("threshold", _threshold(given.threshold)),
        ("compatibility, at least", words.number(given.compatibility)),
        ("old outliers that may remain, at most", _share(given.remaining)),
        ("distortion, at most", f"{_share(given.distortion)} of the largest possible"),
        ("new outliers", "allowed" if given.new_outliers == "allow" else "forbidden"),
        ("margins kept with the areas", "; ".join(map(_margin, given.keep_margins)) or "none"),
        ("areas that members may leave", words.listed(given.leave) or "the outliers"),
        ("areas that members may enter", words.listed(given.enter) or "all others"),
        ("records left alone", "none" if given.untouched is None else given.untouched.text),
        ("influential attributes", _influences(spec, given)),
        ("adversaries who tried before and after", words.listed(adversaries) or "none"),
    )


def _where(parameter: tuple[str, ...], region: str | None, smallest: int) -> Parameters:
    return (
        ("areas", words.listed(parameter) + (f", judged by {region}" if region else "")),
        ("records in an area that is judged, at least", words.number(smallest)),
    )


def _outlier_parameters(signal: str, side: str, alpha: str, ignored: tuple[str, ...]) -> Parameters:
    return (
        ("signal", signal),
        ("side", SIDES[side]),
        ("alpha of the modified Thompson tau technique", alpha),
        ("areas that may stand out", words.listed(ignored) or "none"),
    )


def _threshold(given: Threshold) -> str:
    told = f"outliers sink to ordinary value number {given.largest} from the top"
    told += f", less {_share(given.extra)}" if given.extra else ""
    by_hand = ", ".join(f"{area} to {words.number(value)}" for area, value in given.by_hand)
    return f"{told}; by hand {by_hand}" if by_hand else told


def _margin(margin: KeptMargin) -> str:
    within = f", off by at most {words.number(margin.within)}" if margin.within else ""
    return f"{words.listed(margin.columns)}{within}"


def _influences(spec: GroupSpec, given: ProtectSpec) -> str:
    if not given.influential:
        return f"{words.listed(spec.basic)}, each counting 1"
    return ", ".join(
        f"{i.column} counting {words.number(float(i.weight))}" for i in given.influential
    )


def _evolution(given: Memetic) -> Parameters:
    names = ("population", "pairs", "generations", "runs", "tournament", "crossover", "mutation",
             "local")  # fmt: skip
    told = ", ".join(f"{name} {words.number(getattr(given, name))}" for name in names)
    return (("evolution", told),)


def _share(share: Fraction) -> str:
    return words.percent(float(share))
