"""`make bench`: every figure of docs/performance.md."""

from __future__ import annotations

import sys

from benchmarks import (
    adult_pass,
    archive,
    commands,
    explorer,
    first_jobs,
    flow,
    memetic,
    rules,
    scale,
    searches,
    secure,
)

PARTS = {
    "pass": ("The pass over Adult", adult_pass.run),
    "archive": ("The box-dominance archive", archive.run),
    "commands": ("Whole commands in fresh processes", commands.run),
    "explore": ("The explorer in a browser", explorer.run),
    "first-jobs": ("A first job and its front for tables as they come", first_jobs.run),
    "flow": ("The cheapest swaps that mask a group", flow.run),
    "memetic": ("Swaps that hide a group", memetic.run),
    "million": ("One million rows", scale.million),
    "node": ("A node during evolution", searches.node_cost),
    "proof": ("A front proven without visiting every node", searches.proof),
    "rivals": ("Searches of a lattice too big to enumerate, a minute each", searches.rivals),
    "rules": ("Fuzzy rules that describe a group", rules.run),
    "secure": ("Minimal secure granulations of Adult", secure.run),
    "ten-million": ("Ten million rows", scale.ten_million),
}

for name in sys.argv[1:] or PARTS:
    title, work = PARTS[name]
    print(title, flush=True)
    work()
