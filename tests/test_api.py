"""What `import paretonym` offers: light to import, complete, typed, documented."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from docs.make_api import PAGE, classes, doc_of, functions, page, signature

import paretonym as pn

SOURCE = ast.parse(Path(str(pn.__file__)).read_text(encoding="utf-8"))


def imported_for_types() -> dict[str, str]:
    """Names and the modules that a type checker takes them from."""
    (block,) = [
        node
        for node in SOURCE.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {
        name.name: str(node.module)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


def test_importing_and_looking_loads_nothing_else() -> None:
    code = (
        "import sys, paretonym; assert 'release' in dir(paretonym);"
        "print(sorted(m for m in sys.modules if m.startswith('paretonym')), "
        "sorted({'numpy', 'numba', 'duckdb', 'pyarrow', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )  # fmt: skip
    assert done.stdout.strip() == "['paretonym', 'paretonym.version'] []"


def test_types_and_run_time_find_the_same_names() -> None:
    homes = {name: home for home, names in pn._HOMES.items() for name in names}
    assert imported_for_types() == {**homes, "groups": "paretonym"}
    assert set(pn.__all__) == {*homes, "groups", "__version__"}
    assert dir(pn) == sorted(pn.__all__)


@pytest.mark.parametrize("name", pn.__all__)
def test_every_name_is_there(name: str) -> None:
    thing = getattr(pn, name)
    if name in classes() + functions():
        assert thing.__name__ == name


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'unheard_of'"):
        pn.unheard_of  # noqa: B018


@pytest.mark.parametrize("name", functions())
def test_every_parameter_is_documented(name: str) -> None:
    function = getattr(pn, name)
    doc = doc_of(function)
    assert list(doc.args) == list(inspect.signature(function).parameters)
    assert all([doc.says, doc.returns, *doc.args.values(), *doc.raises.values()])
    assert set(doc.raises) <= set(classes())


@pytest.mark.parametrize("name", classes())
def test_every_type_is_documented(name: str) -> None:
    assert vars(getattr(pn, name)).get("__doc__")


@pytest.mark.parametrize("name", functions())
def test_types_of_a_signature_are_exported_or_plain(name: str) -> None:
    """What somebody passes to a function can be made or named without an inner module."""
    inner = {"PathLike", "Evaluator", "Node", "Code"}  # given by other functions, or never needed
    plain = {"Mapping", "Any", "Callable", "ArrayLike", "None", "Factory", "Ints", "Found"}
    named = {
        node.id
        for node in ast.walk(ast.parse(f"def {signature(getattr(pn, name))}: ..."))
        if isinstance(node, ast.Name) and node.id[0].isupper()
    }
    assert named <= set(classes()) | inner | plain


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python docs/make_api.py"
