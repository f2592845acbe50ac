"""scripts/setup.sh and scripts/lib.sh, with stand-ins for the programs that would fetch packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("bash", "cat", "cksum", "cut", "dirname", "grep", "mkdir", "pwd", "rm", "sed", "ln", "id", "printf")

UV = """#!/usr/bin/env bash
echo "$@" >>"$CALLS"
case "$1 $2 $3" in
    "pip install --help") echo --require-hashes ;;
    venv*)
        for last in "$@"; do [ "$last" != --clear ] || exit 2; done
        [ ! -e "$last" ] || exit 2 # as a uv that would ask before replacing it
        mkdir -p "$last/bin" && ln -s "$PYTHON" "$last/bin/python"
        echo "VIRTUAL_ENV='$PWD/$last'" >"$last/bin/activate"
        ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "a checkout"
    (folder / "scripts").mkdir(parents=True)
    for name in ("scripts/setup.sh", "scripts/lib.sh", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    for lock in ("requirements.lock", "requirements-dev.lock"):
        (folder / lock).write_text("")
    return folder


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A PATH with little on it: neither sha256sum nor flock."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    (folder / "uv").write_text(UV)
    (folder / "uv").chmod(0o755)
    return folder


def set_up(checkout: Path, programs: Path, python: str = sys.executable, *, kind: str = "dev") -> list[str]:
    """Run the script; what it asked uv for, questions left out."""
    calls = programs / "calls"
    calls.write_text("")
    environment = {"PATH": str(programs), "CALLS": str(calls), "PYTHON": python, "HOME": os.environ["HOME"]}
    done = subprocess.run(
        ["bash", checkout / "scripts" / "setup.sh", kind],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "not found" not in done.stderr
    return [line for line in calls.read_text().splitlines() if "--help" not in line]


def test_a_second_run_does_nothing(checkout: Path, programs: Path):
    first = set_up(checkout, programs)
    assert [call.split()[0] for call in first] == ["venv", "pip", "pip"]
    assert set_up(checkout, programs) == []
    assert set_up(checkout, programs, kind="run") == []


def test_a_new_lock_is_installed_into_the_same_virtualenv(checkout: Path, programs: Path):
    set_up(checkout, programs)
    (checkout / "requirements-dev.lock").write_text("# newer\n")
    assert [call.split()[0] for call in set_up(checkout, programs)] == ["pip", "pip"]


def test_a_moved_checkout_gets_a_virtualenv_of_its_own(checkout: Path, programs: Path):
    set_up(checkout, programs)
    moved = checkout.rename(checkout.with_name("elsewhere"))
    assert [call.split()[0] for call in set_up(moved, programs)] == ["venv", "pip", "pip"]
    assert set_up(moved, programs) == []


def test_the_versions_of_python_are_those_of_the_project(checkout: Path, programs: Path):
    project = checkout / "pyproject.toml"
    requires = next(line for line in project.read_text().splitlines() if line.startswith("requires-python"))
    assert requires.split('"')[1] in set_up(checkout, programs)[0]
    major, minor = sys.version_info[:2]
    project.write_text(project.read_text().replace(requires, f'requires-python = ">=3.8,<{major}.{minor}"'))
    # The virtualenv's own version is now too new, so it is made again.
    assert [call.split()[0] for call in set_up(checkout, programs)] == ["venv", "pip", "pip"]
    project.write_text(project.read_text().replace(f"<{major}.{minor}", f"<{major}.{minor + 1}"))
    assert [call.split()[0] for call in set_up(checkout, programs)] == ["pip", "pip"]


APT_GET = """#!/usr/bin/env bash
echo "apt-get $1 ${@: -1}" >>"$CALLS"
[ "$1" != update ] || exit "$UPDATE"
[ "${@: -1}" = second ] || { echo "no package ${@: -1}" && exit 100; }
"""
SUDO = """#!/usr/bin/env bash
[ "$1" = -n ] && [ "$SUDO" = free ] || exit 1
shift
echo sudo >>"$CALLS"
exec "$@"
"""


def install(
    programs: Path, packages: str, *, user: int, sudo: str = "asks", update: int = 0
) -> tuple[bool, str, list[str]]:
    """Ask lib.sh for one of the packages; whether it came, what was said, what was run."""
    for name in ("env", "mktemp", "tail", "true"):
        (programs / name).symlink_to(shutil.which(name) or name)
    (programs / "id").unlink()
    for name, text in {"apt-get": APT_GET, "sudo": SUDO, "id": f"#!/usr/bin/env bash\necho {user}\n"}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    calls = programs / "calls"
    calls.write_text("")
    done = subprocess.run(
        ["bash", "-euc", f'. "{ROOT}/scripts/lib.sh"; apt_install_one_of {packages}'],
        env={"PATH": str(programs), "CALLS": str(calls), "SUDO": sudo, "UPDATE": str(update)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode == 0, done.stderr, calls.read_text().splitlines()


def test_root_installs_the_first_package_that_can_be_had(programs: Path):
    came, said, calls = install(programs, "first second third", user=0)
    assert came
    assert calls == ["apt-get update -q", "apt-get install first", "apt-get install second"]
    assert "no package" not in said


def test_lists_that_cannot_be_renewed_do_not_keep_a_package_away(programs: Path):
    came, said, _ = install(programs, "second", user=0, update=100)
    assert came
    assert "apt-get update failed, going on" in said


def test_what_apt_said_is_shown_if_no_package_can_be_had(programs: Path):
    came, said, _ = install(programs, "first", user=0)
    assert not came
    assert "no package first" in said


def test_a_sudo_that_asks_for_no_password_is_used(programs: Path):
    came, _, calls = install(programs, "second", user=1000, sudo="free")
    assert came
    assert [call for call in calls if call != "sudo"] == ["apt-get update -q", "apt-get install second"]
    assert calls.count("sudo") >= 2


def test_apt_is_not_asked_without_the_right_to_install(programs: Path):
    assert install(programs, "second", user=1000) == (False, "", [])
