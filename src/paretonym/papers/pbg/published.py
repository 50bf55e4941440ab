"""What Dewri et al. 2010 prints in Tables 1(b), 2(a) and 2(b), and the trials that compute it
again.
"""

from __future__ import annotations

from dataclasses import dataclass

from paretonym.papers.pbg.facts import Published

L, S_L, CM = "distinct_l(occupation)", "s_l(occupation)", "cm(salary-class)"


@dataclass(frozen=True, slots=True)
class Trial:
    """Objectives, the sides of their boxes, and the figures of the paper."""

    title: str
    objectives: tuple[str, ...]  # as a job writes them
    sizes: tuple[int, ...]  # the discretization vector, in the order of the objectives
    published: Published
    evolve_percent: int = 0  # of the nodes, what `evolve` may evaluate; 0: only PBG-EA is run
    figure: int = 0  # of the paper, where it is drawn
    guessed: bool = False  # a part of the vector is not in the text that we have

    @property
    def is_compared(self) -> bool:
        """Whether other searches are run as well, and PBG-EA beyond its iterations."""
        return self.evolve_percent > 0


PROBLEMS = (
    Trial(
        "k, GLM", ("k", "glm"), (1, 1),
        Published((3.7e-4, 6.5e-9), (0.94, 8e-4), 916, 5.1), 5, figure=1,
    ),
    Trial(
        "k, ℓ, GLM", ("k", L, "glm"), (1, 1, 1),
        Published((3.3e-4, 1.1e-7), (0.93, 1.1e-3), 946, 5.3), 5, figure=1,
    ),
    Trial(
        "S_k, GLM", ("s_k", "glm"), (1, 1),
        Published((5.7e-4, 2.5e-7), (0.84, 1.7e-3), 1136, 6.3), 5, figure=2,
    ),
    # S_l has no direction of its own; the paper maximises it
    Trial(
        "S_k, S_ℓ, GLM", ("s_k", f"max:{S_L}", "glm"), (1, 1, 1),
        Published((6.6e-4, 2.0e-7), (0.83, 1.4e-3), 1197, 6.7), 5, figure=2,
    ),
    Trial(
        "k, GLM, CM", ("k", "glm", CM), (1, 1, 1),
        Published(evaluations=1073, percent=11.9), 12, figure=3,
    ),
)  # fmt: skip

# six rows of figures for five vectors: the text lost one of the three for k, l and GLM
VECTORS = (
    Trial(
        "k 5, GLM 100", ("k", "glm"), (5, 100),
        Published((4.3e-4, 2.6e-7), (0.95, 1.6e-3)),
    ),
    Trial(
        "k 10, GLM 1000", ("k", "glm"), (10, 1_000),
        Published((1.6e-4, 8e-8), (0.98, 8.2e-4)),
    ),
    Trial(
        "k 50, GLM 10000", ("k", "glm"), (50, 10_000),
        Published((1.7e-4, 1.1e-8), (1.0, 0.0)),
    ),
    Trial(
        "k 5, ℓ 2, GLM 100", ("k", L, "glm"), (5, 2, 100),
        Published((4.9e-3, 2.5e-7), (0.92, 1.2e-3)), guessed=True,
    ),
    Trial(
        "k 10, ℓ 4, GLM 1000", ("k", L, "glm"), (10, 4, 1_000),
        Published((7.4e-3, 9.3e-7), (0.92, 7e-4)),
    ),
    Trial(
        "k 50, ℓ 6, GLM 10000", ("k", L, "glm"), (50, 6, 10_000),
        Published((1.8e-2, 8.2e-6), (0.88, 1.7e-3)),
    ),
)  # fmt: skip
