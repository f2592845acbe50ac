"""The Dockerfile: linted, read for what must hold of it, and its installation replayed without Docker."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Dockerfile").read_text()


def instructions() -> list[tuple[str, str]]:
    """The instructions in order, comments dropped and continued lines joined."""
    lines = [line for line in TEXT.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of each build stage."""
    found: list[list[tuple[str, str]]] = []
    for word, rest in instructions():
        if word == "FROM":
            found.append([])
        found[-1].append((word, rest))
    return found


def test_hadolint_finds_nothing():
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint is not in this virtualenv: run the tests with make test")
    done = subprocess.run([hadolint, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_it_is_built_in_stages_and_only_the_virtualenv_is_carried_over():
    build, final = stages()
    assert build[0][1].endswith("AS build")
    assert [rest for word, rest in final if word == "COPY"] == ["--from=build /opt/weft /opt/weft"]


def test_it_runs_as_a_user_that_is_not_root():
    users = [rest for word, rest in stages()[-1] if word == "USER"]
    assert users
    assert users[-1] not in {"root", "0"}


def test_it_has_java_a_health_check_and_the_port():
    final = dict(stages()[-1])
    assert any("openjdk-17-jre-headless" in rest for word, rest in stages()[-1] if word == "RUN")
    assert "/healthz" in final["HEALTHCHECK"]
    assert final["EXPOSE"] == "8000"
    assert "WEFT_HOST=0.0.0.0" in final["ENV"]


def test_it_says_that_api_keys_are_needed():
    assert "WEFT_API_KEYS must be given" in TEXT


def test_everything_it_copies_is_sent_to_the_builder_and_exists():
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {source for word, rest in stages()[0] if word == "COPY" for source in shlex.split(rest)[:-1]}
    assert copied == sent
    assert all((ROOT / source).exists() for source in copied)


@pytest.mark.slow
def test_its_installation_steps_give_a_service_in_a_clean_virtualenv(tmp_path: Path):
    """Replays the build stage's COPY and RUN steps with /src and /opt/weft moved under a temporary folder."""
    source, prefix = tmp_path / "src", tmp_path / "opt"
    source.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **_pip_settings()}
    for word, rest in stages()[0]:
        if word == "COPY":
            for name in shlex.split(rest)[:-1]:
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
                copy(ROOT / name, source / name)
        elif word == "RUN":
            command = rest.replace("/opt/weft", str(prefix)).replace(
                "python -m venv", f"{sys.executable} -m venv"
            )
            subprocess.run(["bash", "-ec", command], cwd=source, env=environment, check=True)
    shutil.rmtree(source)
    done = subprocess.run(
        [prefix / "bin" / "weft", "--help"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "serve" in done.stdout


def _pip_settings() -> dict[str, str]:
    """How this machine reaches its package index, which a clean environment would forget."""
    return {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
