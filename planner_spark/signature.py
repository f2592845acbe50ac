"""The signature of a tuple: one bit per distinct predicate, evaluated once and natively (doc 000 IV-A, row T-18).

Bits are words of 63 in an array of longs, so any number of predicates fits one column type and the state's schema
stays the same when predicates come and go. A predicate that is NULL is not satisfied, as in SQL's WHERE. Bits are
given out once: a predicate keeps its bit as long as the checkpoint lives, since stored partials carry it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from planner_spark.kernels.workload import WORD

__all__ = ["SIGNATURE", "signature_column"]

SIGNATURE = "__signature"


def signature_column(predicates: Sequence[str], used: frozenset[str]) -> Column:
    """The words of the signature; bits of predicates that no query uses any more are 0 and cost nothing.

    The texts are canonical SQL of `optimizer.model.predicate.Predicate`, generated from checked trees.
    """
    words = []
    for first in range(0, len(predicates), WORD):
        word = F.lit(0).cast("bigint")
        for place, sql in enumerate(predicates[first : first + WORD]):
            if sql in used:
                word = word + F.when(F.expr(sql), F.lit(1 << place)).otherwise(F.lit(0)).cast("bigint")
        words.append(word)
    return F.array(*words).cast("array<bigint>").alias(SIGNATURE)
