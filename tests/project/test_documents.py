"""The documents: links lead somewhere, examples in docstrings are true, and no lock names a host."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PACKAGES = ("app", "optimizer", "costmodel", "planner_spark")
MODULES = sorted(
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if ">>> " in path.read_text()
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path):
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    broken = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert broken == []


def test_every_page_of_the_documentation_can_be_reached():
    start = ROOT / "README.md"
    seen, queue = {start}, [start]
    while queue:
        page = queue.pop()
        for link in re.findall(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)", page.read_text()):
            target = (page.parent / link).resolve()
            if "://" not in link and target not in seen:
                seen.add(target)
                queue.append(target)
    assert [page.relative_to(ROOT).as_posix() for page in PAGES if page not in seen] == []


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str):
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted > 0
    assert outcome.failed == 0


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_locks_have_exact_versions_with_hashes_and_no_host(lock: str):
    text = (ROOT / lock).read_text()
    assert "://" not in text
    assert "--index" not in text
    for requirement in re.split(r"\n(?=\S)", text.strip()):
        assert re.match(r"[a-z0-9._-]+(\[[a-z,]+\])?==\S+ ", requirement), requirement
        assert "--hash=sha256:" in requirement, requirement


def test_the_development_lock_holds_the_service_lock():
    def versions(name: str) -> set[str]:
        return set(re.findall(r"^([a-z0-9._-]+==[^\s;]+)", (ROOT / name).read_text(), re.MULTILINE))

    assert versions("requirements.lock") <= versions("requirements-dev.lock")
