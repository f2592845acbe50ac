"""What operations are taken to cost where nobody has measured.

They were measured on a machine with 2 cores, but for those of an edge and of a tree, which were too small to be told
from noise there and are of the order of magnitude.
"""

from __future__ import annotations

from costmodel.calibration import Calibration, KernelCost, Line

__all__ = ["ASSUMED"]

_KERNELS = {
    # Fixed part and part per key of a call, a partial, an answer and an operation.
    "panes/count": (25100, 0, 121, 1.27, 4120, 0, 42.8, 0.362),
    "panes/sum": (25000, 9.78, 293, 1.77, 7200, 0, 39.8, 0.342),
    "panes/extreme": (28100, 8.07, 230, 1.49, 5860, 0, 56.7, 0.338),
    "panes/moments": (36200, 2.17, 3850, 2.32, 0, 0, 635, 9.24),
    "panes_inv/count": (21800, 0.0779, 0, 0.0397, 8660, 0, 479, 2.42),
    "panes_inv/sum": (34200, 4.77, 0, 0, 38700, 0, 1880, 11.9),
    "flatfat/count": (172000, 147, 8070, 29.8, 17300, 0, 0, 5.63),
    "flatfat/sum": (218000, 0, 8450, 0, 0, 0, 5180, 0),
    "flatfat/extreme": (183000, 29.6, 7610, 0, 4390, 13.4, 1840, 0.304),
    "flatfat/moments": (397000, 124, 12300, 0, 4140, 28.2, 8250, 23.6),
    "b_int/count": (152000, 4.18, 5610, 2.52, 17000, 0, 0, 0.302),
    "b_int/sum": (161000, 40.6, 9600, 0, 2750, 12.4, 2000, 0),
    "b_int/extreme": (185000, 0.15, 3540, 5.08, 2660, 1.46, 1810, 3.96),
    "b_int/moments": (245000, 64.9, 18600, 0, 11800, 26.8, 5270, 28.4),
    "flatfit/count": (21500, 7.69, 2830, 0.283, 7020, 0, 1860, 0.947),
    "flatfit/sum": (22800, 11.2, 2730, 0, 7510, 2.17, 4320, 4.05),
    "flatfit/extreme": (25200, 7.73, 2870, 0.612, 7560, 0.0662, 2630, 2.06),
    "flatfit/moments": (34900, 21.9, 3230, 1.66, 15500, 0, 24600, 29.9),
    "two_stacks/count": (22600, 7.22, 4930, 1.38, 8770, 4.95, 0, 0),
    "two_stacks/sum": (25100, 13.1, 7250, 4.84, 13900, 10.7, 0, 0),
    "two_stacks/extreme": (25900, 12.3, 5900, 4.62, 10600, 5.09, 0, 0),
    "two_stacks/moments": (39100, 37, 28900, 38.5, 53300, 55.4, 0, 0),
    "daba/count": (25000, 2.42, 11000, 0, 6530, 0.514, 1250, 1.95),
    "daba/sum": (27100, 12.8, 12100, 0, 6870, 3.35, 3280, 4.41),
    "daba/extreme": (28600, 8.03, 6240, 13.7, 4810, 0, 3550, 0),
    "daba/moments": (43300, 26.7, 31800, 0, 17100, 0, 19100, 34.2),
    "slickdeque_inv/count": (21800, 2.75, 0, 0.176, 8670, 0, 495, 2.32),
    "slickdeque_inv/sum": (35200, 3.19, 0, 0, 35400, 0, 1910, 12),
    "slickdeque_noninv/extreme": (0, 0, 40300, 24.2, 5940, 0, 2280, 20.5),
    "l_int/count": (74200, 7.7, 0, 0, 0, 0, 2330, 7.12),
    "l_int/sum": (71600, 8.88, 0, 0, 0, 0, 2710, 8.83),
    "l_int/extreme": (84300, 1.48, 0, 0, 0, 1.97, 2380, 7.45),
    "l_int/moments": (93600, 60.8, 0, 0, 20500, 29.1, 19000, 43),
    "r_int/count": (31300, 14.2, 0, 2.49, 1140, 3.52, 112, 0),
    "r_int/sum": (95200, 33.5, 338, 0, 3290, 7.28, 0, 21.1),
}


def _cost(numbers: tuple[float, ...]) -> KernelCost:
    call, partial, answer, operation = (
        Line(fixed=fixed, per_key=per_key) for fixed, per_key in zip(numbers[::2], numbers[1::2], strict=True)
    )
    return KernelCost(call=call, partial=partial, answer=answer, operation=operation)


ASSUMED = Calibration(
    measured=False,
    cores=2,
    tuple=200.0,
    edge=25.0,
    tree=250.0,
    partial=6_000.0,
    roll_up=38.6,
    intercede=Line(fixed=28.7, per_key=9.71),
    window=63600.0,
    result=Line(fixed=104000.0, per_key=3.21),
    batch=1_000_000_000.0,
    kernels={name: _cost(numbers) for name, numbers in _KERNELS.items()},
)
"""Used until a machine is measured; it says so."""
