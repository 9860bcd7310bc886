"""A text that every Python has: its language reference, and what its library says of itself.

The topics of ``help()`` (``pydoc_data.topics``) and the docstrings of the standard library's
modules, read from their sources and not imported. It is the same for one version of Python, and a
little another for the next; its licence is that of Python, the PSF License.
"""

import ast
import hashlib
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

_HAS_DOCSTRING = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def python_docs() -> str:
    """All of it as one text, some 1.4 million characters, in an order that mixes both kinds.

    ``ValueError`` where this Python was installed without any of it.
    """
    documents = _topics() | _docstrings()
    if not documents:
        raise ValueError("this Python has neither pydoc_data.topics nor its library's sources")
    # By a hash of their names, so that the end, which is held out, is like the rest.
    names = sorted(documents, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return "".join(f"{documents[name].strip()}\n\n\n" for name in names)


def _topics() -> dict[str, str]:
    try:
        from pydoc_data.topics import topics
    except ImportError:  # some systems install it apart
        return {}
    return {f"topic {name}": text for name, text in topics.items()}


def _docstrings() -> dict[str, str]:
    """The docstrings of each module that is one file of the standard library."""
    folder = Path(sysconfig.get_path("stdlib"))
    documents = {}
    for name in sorted(sys.stdlib_module_names):
        path = folder / f"{name}.py"
        if path.is_file():
            found = list(_docstrings_of(ast.parse(path.read_bytes()), name))
            if found:
                documents[f"module {name}"] = "\n\n".join(found)
    return documents


def _docstrings_of(node: ast.AST, name: str) -> Iterator[str]:
    """Each docstring below ``node``, under the name of what it describes."""
    if isinstance(node, _HAS_DOCSTRING):
        docstring = ast.get_docstring(node)
        if docstring:
            yield f"{name}\n{docstring}"
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _HAS_DOCSTRING):
            yield from _docstrings_of(child, f"{name}.{getattr(child, 'name', '')}")
