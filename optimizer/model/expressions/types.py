"""The types of mixed operands, as Spark's ANSI mode has them.

``None`` stands for the type of a bare NULL, which fits everywhere. Where Spark would cast an operand to a
decimal that may be too narrow for it, and raise on such a tuple, there is no common type and the expression
is refused.
"""

from __future__ import annotations

from optimizer.model.schema import MAX_PRECISION, ColumnType, Kind

__all__ = [
    "BOOLEAN", "DATE", "DOUBLE", "FLOAT", "INT", "LONG", "STRING", "TIMESTAMP",
    "arithmetic_type", "as_decimal", "common_type", "is_temporal", "spark_name",
]  # fmt: skip

BOOLEAN = ColumnType(kind=Kind.BOOLEAN)
INT = ColumnType(kind=Kind.INT)
LONG = ColumnType(kind=Kind.LONG)
FLOAT = ColumnType(kind=Kind.FLOAT)
DOUBLE = ColumnType(kind=Kind.DOUBLE)
STRING = ColumnType(kind=Kind.STRING)
DATE = ColumnType(kind=Kind.DATE)
TIMESTAMP = ColumnType(kind=Kind.TIMESTAMP)
_MIN_SCALE = 6
"""The fraction digits that Spark keeps when a decimal result would pass 38 digits."""


def is_temporal(type_: ColumnType | None) -> bool:
    """Whether it is a date or a timestamp."""
    return type_ in (DATE, TIMESTAMP)


def common_type(left: ColumnType | None, right: ColumnType | None) -> ColumnType | None:
    """The type in which both can be compared without loss of range; None when there is none.

    >>> str(common_type(INT, ColumnType.parse("decimal(10,2)")))
    'decimal(12,2)'
    """
    if left is None or right is None or left == right:
        return left or right
    if left.is_numeric and right.is_numeric:
        return _common_number(left, right)
    return TIMESTAMP if is_temporal(left) and is_temporal(right) else None


def arithmetic_type(operator: str, left: ColumnType, right: ColumnType) -> ColumnType:
    """The type of ``left operator right`` for numeric operands.

    >>> str(arithmetic_type("/", ColumnType.parse("decimal(10,2)"), ColumnType.parse("decimal(4,1)")))
    'decimal(16,7)'
    """
    if left.is_fractional or right.is_fractional:
        return FLOAT if left == right == FLOAT and operator != "/" else DOUBLE
    if left.is_integral and right.is_integral:
        if operator == "/":
            return DOUBLE
        return INT if left == right == INT else LONG
    one, two = as_decimal(left), as_decimal(right)
    scale = max(one.scale, two.scale)
    whole = max(one.precision - one.scale, two.precision - two.scale) + 1
    if operator == "*":
        scale, whole = one.scale + two.scale, one.precision - one.scale + two.precision - two.scale + 1
    elif operator == "/":
        scale = max(_MIN_SCALE, one.scale + two.precision + 1)
        whole = one.precision - one.scale + two.scale
    elif operator == "%":
        whole = min(one.precision - one.scale, two.precision - two.scale)
    if whole + scale > MAX_PRECISION:
        scale = max(MAX_PRECISION - whole, min(scale, _MIN_SCALE))
        whole = MAX_PRECISION - scale
    return ColumnType(kind=Kind.DECIMAL, precision=whole + scale, scale=scale)


def as_decimal(type_: ColumnType) -> ColumnType:
    """The decimal that holds every value of an exact numeric type."""
    if type_.kind is Kind.DECIMAL:
        return type_
    return ColumnType(kind=Kind.DECIMAL, precision=10 if type_ == INT else 20, scale=0)


def spark_name(type_: ColumnType) -> str:
    """The type's name in Spark SQL."""
    return "bigint" if type_ == LONG else str(type_)


def _common_number(left: ColumnType, right: ColumnType) -> ColumnType | None:
    if left.is_fractional or right.is_fractional:
        return DOUBLE
    if left.is_integral and right.is_integral:
        return LONG
    one, two = as_decimal(left), as_decimal(right)
    scale = max(one.scale, two.scale)
    precision = max(one.precision - one.scale, two.precision - two.scale) + scale
    if precision > MAX_PRECISION:
        return None
    return ColumnType(kind=Kind.DECIMAL, precision=precision, scale=scale)
