"""Former names of parameters, attributes and functions: they work for one release and warn."""

import functools
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self, TypeVar

EstimatorType = TypeVar("EstimatorType", bound=type)


def _warn(old: str, new: str, stacklevel: int = 3) -> None:
    warnings.warn(f"`{old}` is now `{new}`. Use the new name.", FutureWarning, stacklevel)


def former_name(old: str, new: str) -> Any:
    """Return a property that reads the attribute or method `new`, with a FutureWarning."""

    def value(self: Any) -> Any:
        _warn(old, new)
        return getattr(self, new)

    return property(value, doc=f"Former name of `{new}`; deprecated.")


def with_former_names(
    module: str, renamed: Mapping[str, str], get: Callable[[str], Any] | None = None
) -> Any:
    """Return a `__getattr__` that reads former names, with a FutureWarning, others by `get`."""

    def find(name: str) -> Any:
        if name in renamed:
            _warn(name, renamed[name])
            return getattr(sys.modules[module], renamed[name])
        if get is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return get(name)

    return find


class RenamedParameters:
    """Mixin whose `set_params` accepts former parameter names, with a FutureWarning."""

    _renamed: ClassVar[Mapping[str, str]] = {}  # former to new; see `with_former_parameters`

    def set_params(self, **params: Any) -> Self:
        """Set parameters, as in scikit-learn."""
        super().set_params(**new_names(self, params))  # type: ignore[misc]
        return self


def new_names(estimator: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Replace former parameter names of an estimator by the new ones, with a FutureWarning."""
    renamed: Mapping[str, str] = getattr(estimator, "_renamed", {})
    for old in renamed.keys() & given.keys():
        if renamed[old] in given:
            raise ValueError(
                f"`{old}` is the former name of `{renamed[old]}`; both were given. Remove `{old}`."
            )
        _warn(old, renamed[old], stacklevel=4)
    return {renamed.get(name, name): value for name, value in given.items()}


def with_former_parameters(cls: EstimatorType) -> EstimatorType:
    """Make the constructor of an estimator accept former parameter names."""
    init = cls.__init__  # type: ignore[misc]

    @functools.wraps(init)
    def renaming(self: Any, *args: Any, **given: Any) -> None:
        init(self, *args, **new_names(self, given))

    cls.__init__ = renaming  # type: ignore[misc]
    return cls
