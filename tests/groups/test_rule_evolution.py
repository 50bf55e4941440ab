"""Evolution of rules as published (Tavrov and Chertov 2016): what it keeps, and that it repeats."""

from __future__ import annotations

import math
import signal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.group_tables import GroupTable, all_rules, group_tables, is_covered_by

from paretonym.errors import JobError
from paretonym.groups import Evolution, RuleScorer, evolve

SMALL = Evolution(population=12, replace=5, generations=8, runs=3, tournament=3, support=0.01)


def planted(rows: int = 600) -> GroupTable:
    """Six variables with four crisp values; the group is nearly (1, 2, any, any, any, any)."""
    draw = np.random.default_rng(5)
    tables = [np.vstack([np.ones(4), np.eye(4)]) for _ in range(6)]
    codes = [draw.integers(0, 4, rows) for _ in tables]
    group = (codes[0] == 0) & (codes[1] == 1) & (draw.random(rows) < 0.9)
    group |= draw.random(rows) < 0.02
    return GroupTable(tables, codes, group.astype(float), 1.0 - group)


def run(table: GroupTable, options: Evolution = SMALL, *, seed: int = 1, threads: int = 1):
    with table.scorer(threads) as scorer:
        return evolve(scorer, options, draw=np.random.default_rng(seed))


def test_a_planted_group_is_found():
    found = run(planted(), Evolution(generations=30, runs=2, rcf=3))
    assert found.rules[0].values == (1, 2, 0, 0, 0, 0)
    assert found.generations == 30


def test_the_published_options_are_the_defaults():
    options = Evolution()
    assert (options.population, options.replace, options.tournament) == (100, 40, 10)
    assert (options.generations, options.runs) == (100, 10)
    assert (options.crossover, options.mutation) == (1.0, 0.05)
    assert (options.rcf, options.support, options.cut) == (0.75, 0.001, 0.5)


def test_equal_seeds_give_equal_rules_whatever_the_threads():
    table = planted()
    first = run(table, seed=3)
    assert first.rules
    assert first == run(table, seed=3) == run(table, seed=3, threads=2)
    assert first.evaluated != run(table, seed=4).evaluated


def test_runs_are_apart():
    """What a run does depends neither on the runs beside it nor on what they have scored."""
    one, three = planted().scorer(), planted().scorer()
    options = Evolution(population=12, replace=5, generations=8, runs=1, tournament=3)
    evolve(one, options, draw=np.random.default_rng(1))
    evolve(three, SMALL, draw=np.random.default_rng(1))
    assert {rule.values for rule in one.known} <= {rule.values for rule in three.known}


class Recorder(RuleScorer):
    """Keeps the batches it was asked for."""

    batches: list[np.ndarray]

    def score(self, rules):
        self.__dict__.setdefault("batches", []).append(rules.copy())
        return super().score(rules)


def test_a_good_rule_that_dies_is_kept():
    """With every gene drawn anew and everybody replaced, nothing survives a generation."""
    table = planted()
    options = Evolution(population=200, replace=200, generations=4, runs=1, mutation=1, rcf=1)
    scorer = Recorder(table.tables, table.codes, members=table.members, others=table.others)
    found = evolve(scorer, options, draw=np.random.default_rng(1))
    last = {tuple(rule) for rule in scorer.batches[-1].tolist()}
    assert any(rule.values not in last for rule in found.rules)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(group_tables(), st.integers(0, 5))
def test_what_is_kept_meets_all_conditions_and_nothing_else_does(table: GroupTable, seed):
    with table.scorer() as scorer:
        found = evolve(scorer, SMALL, draw=np.random.default_rng(seed))
        known = scorer.known
    assert found.evaluated == len(known) == len({rule.values for rule in known})
    assert {rule.values for rule in known} <= set(map(tuple, all_rules(table.tables).tolist()))
    good = [r for r in known if r.df > 0 and r.rcf >= SMALL.rcf and r.support > SMALL.support]
    general = [r for r in good if not any(g != r and is_covered_by(r, g) for g in good)]
    assert sorted(found.rules, key=lambda r: r.values) == sorted(general, key=lambda r: r.values)


def test_children_mix_their_parents_and_replace_the_worst():
    """Without mutation no gene appears that the first population lacks, and the best stays."""
    table = planted()
    options = Evolution(population=8, replace=3, generations=6, runs=1, tournament=2, mutation=0)
    scorer = Recorder(table.tables, table.codes, members=table.members, others=table.others)
    evolve(scorer, options, draw=np.random.default_rng(2))
    first = scorer.batches[0]
    genes = [set(column) for column in first.T.tolist()]
    for batch in scorer.batches:
        assert all(gene in genes[j] for rule in batch.tolist() for j, gene in enumerate(rule))
    best = max(map(scorer.fitness, scorer.score(first)))
    whole = [batch for batch in scorer.batches if len(batch) == options.population]
    assert all(max(map(scorer.fitness, scorer.score(batch))) >= best for batch in whole)


def test_without_crossover_and_mutation_children_are_copies():
    table = planted()
    options = Evolution(population=8, replace=3, generations=6, runs=1, crossover=0, mutation=0)
    scorer = table.scorer()
    evolve(scorer, options, draw=np.random.default_rng(2))
    assert len(scorer.known) <= 8


def test_an_interrupt_keeps_what_is_known():
    heard = []

    def stop(generations: int) -> None:
        heard.append(generations)
        if len(heard) == 3:
            raise KeyboardInterrupt

    with planted().scorer(threads=2) as scorer:
        found = evolve(scorer, SMALL, draw=np.random.default_rng(1), progress=stop)
        assert found.evaluated == len(scorer.known)
    assert heard == [3, 3, 3]  # a generation of each of three runs
    assert found.generations == 3
    assert found.rules


class Interrupted(RuleScorer):
    """Ctrl-C comes while it scores for the second generation."""

    def score(self, rules):
        calls = self.__dict__["calls"] = self.__dict__.get("calls", 0) + 1
        if calls == 2 + 2 * SMALL.runs + 1:
            signal.raise_signal(signal.SIGINT)
        return super().score(rules)


def test_a_generation_is_finished_before_an_interrupt_takes_effect():
    """A generation asks for each run's parents, all children, and each run's worst."""
    table = planted()
    people = {"members": table.members, "others": table.others}
    scorer = Interrupted(table.tables, table.codes, **people)
    found = evolve(scorer, SMALL, draw=np.random.default_rng(1))
    two = Evolution(population=12, replace=5, generations=2, runs=3, tournament=3, support=0.01)
    assert found == run(table, two)


@pytest.mark.parametrize(
    ("option", "value", "problem"),
    [
        ("population", 0, "population must be at least 1"),
        ("replace", 101, "replace must not exceed population"),
        ("runs", 0, "runs"),
        ("tournament", 0, "tournament"),
        ("generations", -1, "generations"),
        ("crossover", 1.5, "crossover is a share"),
        ("mutation", -0.1, "mutation is a share"),
        ("support", 2, "support is a share"),
        ("rcf", -1, "rcf"),
        ("rcf", math.nan, "rcf"),
    ],
)
def test_options_that_make_no_sense_are_refused(option, value, problem):
    with pytest.raises(JobError, match=problem):
        Evolution(**{option: value})
