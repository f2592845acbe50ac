#!/usr/bin/env bash
# Writes the two lock files from pyproject.toml: exact versions with hashes, and no word of where they came from.
#
# Versions that are already in a lock stay unless they no longer fit; `scripts/lock.sh --upgrade` renews them all.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

command -v uv >/dev/null || die "uv is needed to write the locks (not to install from them): pip install uv"

compile() {
    uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
        --no-annotate --no-header --no-emit-index-url --no-emit-find-links --group build "$@"
}

compile --output-file requirements.lock "$@"
compile --group dev --output-file requirements-dev.lock "$@"
