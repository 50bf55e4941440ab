"""Larger tables: 1 M rows against Adult in one run, 10 M rows from CSV to front in memory."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.adult_pass import best_of, full_pass, seven_evaluator
from paretonym import datasets
from paretonym.jobfile.loading import load_job
from paretonym.model.source import TableSource
from paretonym.pipeline.open_job import open_job


def million() -> float:
    """The full pass on 1 M rows (Adult resampled, 5 % of the cells redrawn) against Adult's."""
    job = replace(load_job(datasets.path("adult/job.yaml")), objectives=("k",))
    with open_job(job) as opened:
        small = seven_evaluator(opened, "paper")
        full_pass(small)
        adult = best_of(5, lambda: full_pass(small))
    table = datasets.resample(1_000_000, seed=1)
    with open_job(replace(job, source=TableSource(table))) as opened:
        print(f"  1 M rows have {opened.histogram.combinations:,} distinct combinations")
        large = seven_evaluator(opened, "paper")
        big = best_of(2, lambda: full_pass(large))
    print(f"  Adult {adult:.3f} s, 1 M rows {big:.3f} s, one thread each")
    print(
        f"  -> 1 M rows / Adult:                           {big / adult:8.2f}   (asked: at most 6)"
    )
    return big / adult


def ten_million(rows: int = 10_000_000) -> float:
    """Peak memory of a process that goes from a CSV of 10 M rows to the front."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        subprocess.run(
            [sys.executable, "-m", "benchmarks.scale", "write", str(path), str(rows)], check=True
        )
        print(f"  a CSV of {path.stat().st_size / 1e6:,.0f} MB, {rows:,} rows")
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.scale", "front", str(path)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        seconds = time.perf_counter() - started
    found = json.loads(done.stdout)
    gigabytes = found["bytes"] / 1e9
    print(f"  {found['combinations']:,} distinct combinations, front of {found['front']} points, "
          f"{seconds:.0f} s in all, search {found['seconds']:.1f} s")  # fmt: skip
    print(f"  -> peak memory, GB:                            {gigabytes:8.2f}   (asked: under 2)")
    return gigabytes


def _write(path: Path, rows: int) -> None:
    import pyarrow.csv

    part = 1_000_000
    with path.open("wb") as stream:
        for number, begin in enumerate(range(0, rows, part)):
            table = datasets.resample(min(part, rows - begin), seed=number)
            options = pyarrow.csv.WriteOptions(include_header=number == 0, quoting_style="none")
            pyarrow.csv.write_csv(_plain(table), stream, options)


def _plain(table):  # type: ignore[no-untyped-def]
    import pyarrow as pa

    return table.cast(pa.schema([(name, pa.string()) for name in table.column_names]))


def _front(path: Path) -> None:
    from paretonym.pipeline.fronts import front_of

    job = load_job(datasets.path("adult/job.yaml"))
    with open_job(replace(job, source=TableSource(path))) as opened:
        front = front_of(opened)
        found = {
            "combinations": opened.histogram.combinations,
            "front": len(front.entries),
            "seconds": front.seconds,
            "bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        }
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1] == "write":
        _write(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        _front(Path(sys.argv[2]))
