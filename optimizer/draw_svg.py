"""The plan as a picture: stream, trees and queries from left to right, the width of a tree's line by its cost."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from optimizer.model.plan import Plan, Tree

__all__ = ["draw_svg"]

ROW, GAP = 22, 14
STREAM_X, TREE_X, QUERY_X, WIDTH = 20, 260, 620, 980
BOX = 220
SHOWN = 40
"""Queries that are drawn of each tree; the rest is counted."""
COLORS = ("#4063d8", "#389826", "#cb3c33", "#9558b2", "#c2850c", "#0f8b8d")


def draw_svg(plan: Plan) -> str:
    """An SVG document that needs no other file."""
    heights = [max(len(_rows(tree)), 2) * ROW + GAP for tree in plan.trees]
    height = max(sum(heights) + 90, 140)
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {WIDTH} {height}",
            "width": str(WIDTH),
            "height": str(height),
            "font-family": "system-ui, sans-serif",
            "font-size": "13",
        },
    )
    SubElement(svg, "title").text = f"plan {plan.id}"
    SubElement(svg, "rect", {"width": "100%", "height": "100%", "fill": "#ffffff"})
    _text(svg, STREAM_X, 28, f"plan {plan.id}", bold=True)
    _text(
        svg,
        STREAM_X,
        48,
        f"{plan.optimizer}, {plan.execution}, {plan.technique}, {plan.partials}: cost {plan.cost.total:.6g} per "
        f"{plan.time_unit}",
    )
    middle = 70 + (height - 90) / 2
    _box(
        svg, STREAM_X, middle - 22, "#333333", plan.stream or "stream", f"{plan.rate:g} per {plan.time_unit}"
    )
    top = 70.0
    most = max((tree.cost for tree in plan.trees), default=0.0)
    for tree, own in zip(plan.trees, heights, strict=True):
        _draw_tree(svg, tree, top=top, middle=middle, most=most)
        top += own
    return tostring(svg, encoding="unicode") + "\n"


def _draw_tree(svg: Element, tree: Tree, *, top: float, middle: float, most: float) -> None:
    rows = _rows(tree)
    center = top + max(len(rows), 2) * ROW / 2
    color = COLORS[(tree.id - 1) % len(COLORS)]
    weight = 1 + 5 * (tree.cost / most if most else 0.0)
    _line(svg, STREAM_X + BOX, middle, TREE_X, center, color, weight)
    _box(
        svg,
        TREE_X,
        center - 22,
        color,
        f"tree {tree.id}: {tree.technique}",
        f"E {tree.edge_rate:.4g}, Ω {tree.omega:.4g}, cost {tree.cost:.5g}",
    )
    for number, row in enumerate(rows):
        y = top + ROW * (number + 0.5)
        _line(svg, TREE_X + BOX + 60, center, QUERY_X - 6, y, color, 1)
        _text(svg, QUERY_X, y + 4, row)


def _rows(tree: Tree) -> list[str]:
    rows = [f"{_short(m.id)}: {m.window}" for m in tree.members[:SHOWN]]
    more = len(tree.members) - SHOWN
    return [*rows, f"and {more} more"] if more > 0 else rows


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:37] + "..."


def _box(svg: Element, x: float, y: float, color: str, title: str, below: str) -> None:
    width = BOX if x == STREAM_X else BOX + 60
    SubElement(
        svg,
        "rect",
        {
            "x": str(x),
            "y": str(y),
            "width": str(width),
            "height": "44",
            "rx": "6",
            "fill": "#f6f8fa",
            "stroke": color,
        },
    )
    _text(svg, x + 10, y + 18, _short(title), bold=True)
    _text(svg, x + 10, y + 35, below)


def _line(svg: Element, x: float, y: float, to_x: float, to_y: float, color: str, weight: float) -> None:
    half = (x + to_x) / 2
    path = f"M {x:.1f} {y:.1f} C {half:.1f} {y:.1f}, {half:.1f} {to_y:.1f}, {to_x:.1f} {to_y:.1f}"
    SubElement(
        svg,
        "path",
        {"d": path, "stroke": color, "stroke-width": f"{weight:.1f}", "fill": "none", "opacity": "0.7"},
    )


def _text(svg: Element, x: float, y: float, words: str, *, bold: bool = False) -> None:
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "fill": "#1f2328"}
    if bold:
        attributes["font-weight"] = "600"
    # What XML has no character for would make the document unreadable.
    SubElement(svg, "text", attributes).text = "".join(c if c.isprintable() else "�" for c in words)
