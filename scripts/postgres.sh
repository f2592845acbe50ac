#!/usr/bin/env bash
# Makes sure that the registry's tests find a PostgreSQL server's programs; required only with CI=true.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

is_there() {
    command -v postgres >/dev/null && return 0
    local program
    for program in /usr/lib/postgresql/*/bin/postgres /usr/local/pgsql/bin/postgres; do
        if [ -x "$program" ]; then return 0; fi
    done
    return 1
}

if is_there; then exit 0; fi
if apt_install_one_of postgresql && is_there; then exit 0; fi
if [ "${CI:-}" = true ]; then
    die "PostgreSQL is required in CI and could not be installed: apt-get install postgresql"
fi
say "no PostgreSQL here, nor could it be installed: the tests against a real server will be skipped" \
    "(sudo apt-get install postgresql brings them back)"
