"""Projects and tasks as a page sees them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from paretonym.errors import Fault, JobError, ParetonymError
from paretonym.measures import known_measures
from paretonym.model.measure_info import direction_words, known_infos
from paretonym.version import __version__
from paretonym.views.sentence_faults import sentence_faults
from paretonym.web import answers
from paretonym.web.messages import RESULT, Kind
from paretonym.web.projects import Project, Snapshot, data_of
from paretonym.web.server_state import EXAMPLES, ServerState
from paretonym.web.tasks import Task


def state(server_state: ServerState) -> answers.StateShown:
    return answers.StateShown(
        software=f"paretonym {__version__}",
        temporary=server_state.temporary,
        upload_limit=server_state.upload_limit,
        projects=[_opened(server_state, one) for one in list(server_state.projects.values())],
        examples=[
            answers.ExampleShown(name=name, says=says) for name, (_, says) in EXAMPLES.items()
        ],
        measures=_measures(),
        directions={
            name: answers.DirectionSaid(**said) for name, said in direction_words().items()
        },
    )


def _measures() -> list[answers.MeasureKnown]:
    with suppress(JobError):  # of a package; the work that asks for its measures tells of it
        known_measures()
    return [answers.MeasureKnown(**info.to_json()) for info in known_infos()]


def _opened(server_state: ServerState, one: Project) -> answers.ProjectOpen:
    return answers.ProjectOpen(
        id=one.id,
        name=one.name,
        table=one.table_name,
        unsaved=one.has_unsaved_edits,
        running=any(task.state == "running" for task in server_state.tasks_of(one)),
    )


def project(server_state: ServerState, one: Project) -> answers.ProjectShown:
    with one.lock:
        now, revision, saved = one.snapshot, one.revision, one.saved
        edits = [
            answers.EditShown(says=step.says, undone=place > one.place)
            for place, step in enumerate(one.steps)
            if place
        ]
    data = _data(now)
    return answers.ProjectShown(
        id=one.id,
        name=one.name,
        table=one.table_name,
        revision=revision,
        digest=now.digest,
        text=now.text,
        faults=_faults(now),
        edits=edits,
        saved=saved,
        savable=one.path is not None,
        path=None if one.path is None else one.path.name,
        has=answers.Parts(
            columns=bool(data.get("columns")),
            confidential=bool(data.get("confidential")),
            groups=bool(data.get("groups")),
        ),
        job=data or None,
        order=answers.Order(**{name: _keys(data.get(name)) for name in answers.Order.model_fields}),
        tasks=[task(one) for one in server_state.tasks_of(one)],
    )


def _data(now: Snapshot) -> dict[str, Any]:
    try:
        return data_of(now)
    except JobError:
        return {}


def _keys(section: Any) -> list[str]:
    return list(section) if isinstance(section, dict) else []


def _faults(now: Snapshot) -> list[answers.LineFault]:
    """What keeps the job from being read; what its table says is found when work starts."""
    try:
        now.job()
    except JobError as error:
        return _lines(error.faults)
    except ParetonymError as error:
        return [answers.LineFault(message=str(error), line=None)]
    return []


def check(server_state: ServerState, would_be: Snapshot) -> list[answers.LineFault]:
    """What would be wrong with a job that nobody keeps, also what its table says of it."""
    faults = _faults(would_be)
    if faults:
        return faults
    with server_state.table(would_be) as table:
        return _lines(sentence_faults(would_be.job(), table))


def _lines(faults: Sequence[Fault]) -> list[answers.LineFault]:
    return [
        answers.LineFault(message=one.message, line=one.line, path=list(one.path)) for one in faults
    ]


def task(one: Task) -> answers.TaskShown:
    return answers.TaskShown(
        id=one.id,
        project=one.project,
        kind=one.kind,
        state=one.state,
        what=one.what,
        done=one.done,
        total=one.total,
        started=one.started.isoformat(timespec="seconds"),
        seconds=round(one.seconds, 3),
        message=one.message,
        checks=[answers.CheckShown(**check) for check in one.checks],
        log=list(one.log),
        digest=one.digest,
        has_result=one.has_result,
        levels=list(one.request.levels),
        below=one.request.below,
    )


def result(server_state: ServerState, one: Project, kind: Kind) -> answers.ResultShown:
    done = server_state.last(one, kind)
    data = json.loads((done.folder / RESULT).read_bytes())
    stale = done.digest != one.snapshot.digest
    return answers.ResultShown(task=task(done), result=data, stale=stale)


def chosen_from(
    server_state: ServerState, one: Project, asked: answers.TaskAsked
) -> dict[str, Any]:
    """How the front was found that a release is chosen from; nothing without one."""
    if asked.front is None:
        return {}
    task = server_state.front(one, asked.front)
    if task is None or task.digest != asked.digest or not task.has_result:
        return {}
    told = json.loads((task.folder / RESULT).read_bytes())
    known = {name: told[name] for name in ("method", "exact", "nodes", "evaluated")}
    return {"searched": {**known, "table": told["fingerprint"]}, "inputs": task.inputs}
