# Shared by the set-up scripts: speaking, and installing Debian packages where that is allowed.
# shellcheck shell=bash

say() { printf 'weft: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}

# Runs a command as root: directly, or by a sudo that asks for no password; fails where neither is possible.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        return 1
    fi
}

# Installs the first of the named Debian packages that can be had; quiet unless it fails.
apt_install_one_of() {
    command -v apt-get >/dev/null || return 1
    as_root true || return 1
    local log package
    log=$(mktemp)
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >"$log" 2>&1 || say "apt-get update failed, going on"
    for package in "$@"; do
        say "installing $package with apt-get"
        if as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -q --no-install-recommends "$package" >>"$log" 2>&1; then
            rm -f "$log"
            return 0
        fi
    done
    tail -n 20 "$log" >&2
    rm -f "$log"
    return 1
}
