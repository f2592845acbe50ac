#!/usr/bin/env bash
# Makes .venv from a lock file: `scripts/setup.sh run` for the service, `scripts/setup.sh dev` for tests and checks.
#
# Every package is checked against its hash. A stamp of what was installed, and where, makes the next call instant and
# lets it work without a network; `dev` holds all of `run`, so it serves both. A virtualenv does not survive a move of
# its checkout, as its programs name it by its path: then it is made again.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

kind=${1:-dev}
case $kind in
    run) lock=requirements.lock ;;
    dev) lock=requirements-dev.lock ;;
    *) die "usage: scripts/setup.sh run|dev" ;;
esac

venv=.venv
stamp=$venv/.weft-installed
here=$(pwd -P)
requires=$(sed -n 's/^requires-python = "\(.*\)"$/\1/p' pyproject.toml)

# Any digest will do: it is only compared with itself on this machine.
digest() {
    if command -v sha256sum >/dev/null; then
        sha256sum
    elif command -v shasum >/dev/null; then
        shasum -a 256
    else
        cksum
    fi | cut -d ' ' -f 1
}

fingerprint() { { echo "$here" && cat "$1" pyproject.toml; } | digest; }

is_installed() {
    [ -x "$venv/bin/python" ] && [ -f "$stamp" ] || return 1
    local done_kind done_print
    read -r done_kind done_print <"$stamp"
    case $done_kind in
        dev) [ "$done_print" = "$(fingerprint requirements-dev.lock)" ] ;;
        run) [ "$kind" = run ] && [ "$done_print" = "$(fingerprint requirements.lock)" ] ;;
        *) return 1 ;;
    esac
}

is_installed && exit 0

# Two makes at once must not write one virtualenv; the second finds it done.
if command -v flock >/dev/null; then
    exec 9<scripts/setup.sh
    flock 9
    is_installed && exit 0
fi

has_uv() { command -v uv >/dev/null && uv pip install --help 2>/dev/null | grep -q -- --require-hashes; }

# Whether a Python is one that pyproject.toml asks for.
fits() {
    "$1" -c '
import re, sys
for sign, major, minor in re.findall(r"(>=|<)\s*(\d+)\.(\d+)", sys.argv[1]):
    bound = (int(major), int(minor))
    if (sys.version_info[:2] >= bound) is not (sign == ">="):
        sys.exit(1)
' "$requires" 2>/dev/null
}

find_python() {
    local candidate
    for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
        if fits "$candidate"; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

make_venv() {
    local python
    rm -rf "$venv" # older versions of uv have no word for making one anew
    if has_uv; then
        uv venv --quiet --python "$requires" "$venv"
        return
    fi
    python=$(find_python) || die "Python $requires is needed: install it, or put uv on the PATH"
    # Debian ships the standard library's venv in a package of its own.
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        apt_install_one_of python3-venv || die "$python has no venv module: install your system's python3-venv"
    fi
    "$python" -m venv "$venv"
}

is_usable() { fits "$venv/bin/python" && grep -qF "$here/$venv" "$venv/bin/activate" 2>/dev/null; }

is_usable || { say "making $venv" && make_venv; }
rm -f "$stamp"
say "installing $lock into $venv"
if has_uv; then
    uv pip install --quiet --python "$venv/bin/python" --require-hashes -r "$lock"
    uv pip install --quiet --python "$venv/bin/python" --no-deps --no-build-isolation -e .
else
    # A virtualenv that uv made has no pip.
    "$venv/bin/python" -m pip --version >/dev/null 2>&1 || "$venv/bin/python" -m ensurepip >/dev/null
    pip="$venv/bin/python -m pip --disable-pip-version-check --quiet"
    $pip install --require-hashes -r "$lock"
    $pip install --no-deps --no-build-isolation -e .
fi
echo "$kind $(fingerprint "$lock")" >"$stamp"
