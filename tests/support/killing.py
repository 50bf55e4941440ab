"""Runs a search in forked children that are killed at random moments, until one finishes.

    python -m tests.support.killing JOB FOLDER METHOD EVALUATIONS KILLS SEED

Prints one JSON object: what was killed when, and whether the fronts are the uninterrupted one.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from paretonym.jobfile.loading import load_job
from paretonym.model.job import Budget, SearchOptions
from paretonym.pipeline.checkpoints import Checkpoints
from paretonym.pipeline.fronts import chosen_method, front_of
from paretonym.pipeline.open_job import OpenJob, open_job

MOST_CHILDREN = 400


def front_facts(opened: OpenJob, folder: Path, *, seconds: float) -> dict[str, Any]:
    checkpoints = Checkpoints(folder, opened, chosen_method(opened), seconds=seconds)
    resume = checkpoints.file.exists()
    front = front_of(opened, threads=1, checkpoints=checkpoints, resume=resume)
    return front.to_json(with_seconds=False)


def child(opened: OpenJob, folder: Path, done: Path) -> None:
    facts = front_facts(opened, folder, seconds=0)
    part = done.with_suffix(".writing")
    part.write_text(json.dumps(facts))
    part.replace(done)


def fork(opened: OpenJob, folder: Path, done: Path) -> int:
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        child(opened, folder, done)
        code = 0
    finally:
        os._exit(code)


def wait(process: int, seconds: float) -> int | None:
    """The child's exit status, or None when it still runs after so long."""
    end = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return status
        if time.monotonic() >= end:
            return None
        time.sleep(0.001)


def search_until_done(
    opened: OpenJob, folder: Path, delay: Any, longest: float, counts: dict[str, int]
) -> dict[str, Any]:
    """One search, killed and taken up again until it ends by itself."""
    checkpoints, done = Checkpoints(folder, opened, chosen_method(opened)), folder / "done.json"
    for _ in range(MOST_CHILDREN):
        process = fork(opened, folder, done)
        status = wait(process, delay.uniform(0, longest))
        if status is None:
            os.kill(process, signal.SIGKILL)
            _, status = os.waitpid(process, 0)
        if os.WIFSIGNALED(status):
            counts["killed"] += 1
            counts["with_checkpoint"] += checkpoints.file.exists()
            counts["half_written"] += any(folder.glob(".*.part"))
        if checkpoints.file.exists():
            checkpoints.load()  # raises when it cannot be read
        if done.exists():
            checkpoints.remove()
            return dict(json.loads(done.read_text()))
        assert os.WIFSIGNALED(status), status
    raise AssertionError("the search never comes to its end")


def main(job_path: str, out: str, method: Any, evaluations: str, kills: str, seed: str) -> None:
    budget = Budget(evaluations=int(evaluations)) if int(evaluations) else None
    job = replace(load_job(Path(job_path)), search=SearchOptions(method, 3, budget))
    counts = {"killed": 0, "with_checkpoint": 0, "half_written": 0, "fronts": 0, "left": 0}
    delay = random.Random(int(seed))
    with open_job(job) as opened:
        whole = front_facts(opened, Path(out) / "whole", seconds=1e9)  # loads the kernels, too
        begun = time.monotonic()
        again = front_facts(opened, Path(out) / "again", seconds=0)
        longest = (time.monotonic() - begun) / 2
        assert again == whole
        same = True
        while counts["killed"] < int(kills):
            folder = Path(out) / str(counts["fronts"])
            folder.mkdir(parents=True)
            same &= search_until_done(opened, folder, delay, longest, counts) == whole
            counts["fronts"] += 1
            counts["left"] += len([f for f in folder.iterdir() if f.name != "done.json"])
    print(json.dumps({**counts, "same": same, "longest": longest}))


if __name__ == "__main__":
    main(*sys.argv[1:])
