"""Named tuples as arguments of kernels, passed by one pointer."""

# Numba passes a named tuple by value, which compiles slowly. A `Record` is unboxed once, into the
# stack frame of the kernel that Python calls, and only read there.

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import (
    NativeValue,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)


class Record(types.Type):  # type: ignore[misc]
    """Type of a named tuple whose fields have these types."""

    def __init__(self, kind: type, parts: tuple[Any, ...]) -> None:
        self.kind, self.parts = kind, parts
        self.names: tuple[str, ...] = tuple(kind._fields)  # type: ignore[attr-defined]
        typed = ", ".join(f"{n}: {t}" for n, t in zip(self.names, parts, strict=True))
        super().__init__(f"Record({kind.__module__}.{kind.__name__}, {typed})")


def record(kind: type, *parts: Any) -> Record:
    """Return the type, for signatures, of a named tuple whose fields have these types."""
    if kind not in typeof_impl.registry:
        typeof_impl.register(kind)(_typeof)
    return Record(kind, parts)


def _typeof(value: Any, context: Any) -> Record:
    return Record(type(value), tuple(typeof_impl(part, context) for part in value))


register_model(Record)(models.OpaqueModel)


@infer_getattr
class _RecordFields(AttributeTemplate):  # type: ignore[misc]
    key = Record

    def generic_resolve(self, value: Any, attr: str) -> Any:  # type: ignore[override]
        """Return the type of a field."""
        return value.parts[value.names.index(attr)] if attr in value.names else None


def _layout(context: Any, record: Record) -> Any:
    """Return the LLVM struct that holds the fields."""
    return ir.LiteralStructType([context.get_value_type(part) for part in record.parts])


@lower_getattr_generic(Record)
def _field(context: Any, builder: Any, record: Record, value: Any, name: str) -> Any:
    """Load a field."""
    at = record.names.index(name)
    place = builder.bitcast(value, _layout(context, record).as_pointer())
    found = builder.load(cgutils.gep_inbounds(builder, place, 0, at))
    return impl_ret_borrowed(context, builder, record.parts[at], found)


@unbox(Record)
def _unbox_fields(record: Record, tuple_: Any, c: Any) -> NativeValue:
    """Unbox the fields into the stack frame; release them after the call."""
    place = cgutils.alloca_once(c.builder, _layout(c.context, record), zfill=True)
    failed = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    fields = []
    for at, part in enumerate(record.parts):
        field = c.unbox(part, c.pyapi.tuple_getitem(tuple_, at))
        c.builder.store(field.value, cgutils.gep_inbounds(c.builder, place, 0, at))
        with c.builder.if_then(field.is_error):
            c.builder.store(cgutils.true_bit, failed)
        fields.append(field)

    def release() -> None:
        for part, field in zip(record.parts, fields, strict=True):
            if field.cleanup is not None:
                field.cleanup()
            c.context.nrt.decref(c.builder, part, field.value)

    opaque = c.builder.bitcast(place, c.context.get_value_type(record))
    return NativeValue(opaque, is_error=c.builder.load(failed), cleanup=release)
