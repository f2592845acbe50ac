#!/usr/bin/env bash
# Makes .venv from a lock file: `scripts/setup.sh run` for the service, `scripts/setup.sh dev` for tests and checks.
#
# Every package is checked against its hash. A stamp of what was installed makes the next call instant and lets it
# work without a network; `dev` holds all of `run`, so it serves both.
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

fingerprint() { cat "$1" pyproject.toml | sha256sum | cut -d ' ' -f 1; }

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

find_python() {
    local candidate
    for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

make_venv() {
    local python
    if has_uv; then
        uv venv --quiet --clear --python '>=3.11,<3.14' "$venv"
        return
    fi
    python=$(find_python) || die "Python 3.11 or newer is needed: install it, or put uv on the PATH"
    # Debian ships the standard library's venv in a package of its own.
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        apt_install_one_of python3-venv || die "$python has no venv module: install your system's python3-venv"
    fi
    "$python" -m venv --clear "$venv"
}

is_usable() { "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

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
