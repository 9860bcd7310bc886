"""Compiles functions without the work that numba repeats, in half of the time.

Numba optimises each function and makes machine code of it, and then does both again in each
function that calls it, with all that it calls in turn. Here an *entry*, which Python calls, is made
of *parts*, the functions it calls. Parts are translated, but optimised and made machine code only
within entries. ``docs/decisions/0032-private-names.md`` lists what this takes of numba.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from numba.core import compiler, types
from numba.core.codegen import JITCodeLibrary


class Whole(JITCodeLibrary):
    """The code of an entry: all that it calls is linked once, and then optimised together."""

    def add_linking_library(self, library: JITCodeLibrary) -> None:
        """Links a library, and with a part also all that it calls."""
        called = library._linking_libraries if isinstance(library, Part) else []
        for one in (library, *called):
            if one not in self._linking_libraries:
                super().add_linking_library(one)

    def _optimize_functions(self, module: Any) -> None:
        """As numba's, but by one pass manager for all functions, which takes long to make."""
        module.data_layout = self._codegen._data_layout
        manager, builder = self._codegen._function_pass_manager()
        for function in module.functions:
            if not function.is_declaration:
                manager.run(function, builder)


class Part(Whole):
    """The code of an inner function, which waits for an entry that calls it."""

    def finalize(self) -> None:
        """Neither links nor optimises, and makes no machine code."""
        self._finalized = True

    @property
    def codegen(self) -> "Part":
        """Itself: numba asks it for ``set_env`` alone."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Does nothing: only machine code that makes Python objects reads the environment."""


class Flags(compiler.Flags):
    """Flags that are compared by identity, since numba compares them at every call."""

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__
    _handed_on: ClassVar[dict[str, "Flags"]] = {}

    def copy(self) -> "Flags":
        """The flags for numba's own functions that a function calls: one object for equal ones."""
        flags = compiler.Flags(self)
        for name in ("forceinline", "no_cpython_wrapper", "no_cfunc_wrapper"):
            flags.discard(name)
        return self._handed_on.setdefault(flags.summary(), Flags(flags))


class _Compiler(compiler.Compiler):
    library_class: type[JITCodeLibrary]

    def compile_extra(self, function: Callable) -> Any:
        """As numba's, but for the flags and for the library that takes the code."""
        self.state.flags = Flags(self.state.flags)
        library = self.library_class(self.state.targetctx.codegen(), function.__qualname__)
        library.enable_object_caching()
        self.state.library = library
        return super().compile_extra(function)


class EntryCompiler(_Compiler):
    """For what Python calls."""

    library_class = Whole


class PartCompiler(_Compiler):
    """For what only compiled functions call."""

    library_class = Part


def widen_arguments(dispatcher: Any) -> Any:
    """Resolves calls as if signed integers were int64, and constants any value of their type.

    Else numba would compile the function anew for each size and each constant.
    """
    resolve = dispatcher.get_call_template

    def get_call_template(args: Sequence, kws: Mapping) -> Any:
        return resolve(
            tuple(map(_widened, args)), {name: _widened(kind) for name, kind in kws.items()}
        )

    dispatcher.get_call_template = get_call_template
    return dispatcher


def _widened(kind: types.Type) -> types.Type:
    kind = types.unliteral(kind)
    return types.int64 if kind in types.signed_domain else kind
