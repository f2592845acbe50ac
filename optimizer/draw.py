"""The plan as a graph (networkx) and as drawings: text, Mermaid, DOT and SVG."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx  # type: ignore[import-untyped]

from optimizer.draw_svg import draw_svg
from optimizer.model.plan import Plan, Tree

__all__ = ["DRAWINGS", "draw_dot", "draw_mermaid", "draw_text", "plan_graph"]


def plan_graph(plan: Plan) -> nx.DiGraph:
    """Stream, trees and queries as nodes, the flow of tuples and fragments as edges.

    Node keys are ``stream``, ``tree 1`` ..., ``query <id>``; each has a ``label``.
    """
    graph = nx.DiGraph(id=plan.id)
    graph.add_node(
        "stream",
        kind="stream",
        label=f"{plan.stream or 'stream'} ({plan.rate:g} / {plan.time_unit}){_estimated(plan)}",
    )
    for tree in plan.trees:
        name = f"tree {tree.id}"
        graph.add_node(
            name,
            kind="tree",
            label=f"tree {tree.id}: {tree.technique}, E {tree.edge_rate:.6g}, Omega {tree.omega:.6g}, "
            f"cost {tree.cost:.6g}{_time_of(tree)}",
        )
        graph.add_edge("stream", name)
        for member in tree.members:
            graph.add_node(f"query {member.id}", kind="query", label=f"{member.id}: {member.window}")
            graph.add_edge(name, f"query {member.id}")
    return graph


def _estimated(plan: Plan) -> str:
    found = plan.estimate
    if found is None:
        return ""
    words = "" if found.measured else ", not measured on this machine"
    return f", about {found.seconds_per_second:.2g} s of work per second{words}"


def _time_of(tree: Tree) -> str:
    return "" if tree.seconds_per_second is None else f", {tree.seconds_per_second:.2g} s per second"


def draw_text(plan: Plan) -> str:
    """An indented listing."""
    graph = plan_graph(plan)
    lines = [
        f"plan {plan.id}: {plan.optimizer}, {plan.execution}, {plan.technique}, {plan.partials}, "
        f"cost {plan.cost.total:.6g} per {plan.time_unit}",
        graph.nodes["stream"]["label"],
    ]
    for tree in graph.successors("stream"):
        lines.append(f"  {graph.nodes[tree]['label']}")
        lines += [f"    {graph.nodes[query]['label']}" for query in graph.successors(tree)]
    return "\n".join(lines) + "\n"


def draw_mermaid(plan: Plan) -> str:
    """A Mermaid flowchart."""
    graph = plan_graph(plan)
    names = {node: f"n{number}" for number, node in enumerate(graph)}
    # Mermaid has no escape inside quotes but entities.
    lines = [
        f'  {names[n]}["{data["label"].replace("#", "#35;").replace(chr(34), "#quot;")}"]'
        for n, data in graph.nodes(data=True)
    ]
    arrows = [f"  {names[a]} --> {names[b]}" for a, b in graph.edges]
    return "\n".join(["flowchart LR", *lines, *arrows]) + "\n"


def draw_dot(plan: Plan) -> str:
    """A Graphviz graph."""
    graph = plan_graph(plan)
    names = {node: f"n{number}" for number, node in enumerate(graph)}
    lines = [f'  {names[n]} [label="{_dot(data["label"])}"];' for n, data in graph.nodes(data=True)]
    arrows = [f"  {names[a]} -> {names[b]};" for a, b in graph.edges]
    return "\n".join(["digraph plan {", "  rankdir=LR;", *lines, *arrows, "}"]) + "\n"


def _dot(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"')


DRAWINGS: dict[str, Callable[[Plan], str]] = {
    "text": draw_text, "mermaid": draw_mermaid, "dot": draw_dot, "svg": draw_svg,
}  # fmt: skip
"""Every drawing by the name of its format."""
