#!/usr/bin/env bash
# Finds Java for Spark, or installs it, and prints the line that puts it into the environment.
#
# Spark 4 runs on Java 17 and 21: they are preferred wherever they are found. A newer one alone is used with a word.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

# Prints the major version of the Java in a home folder, or nothing.
major_of() {
    [ -x "$1/bin/java" ] || return 0
    "$1/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
}

candidates() {
    local java
    if [ -n "${JAVA_HOME:-}" ]; then echo "$JAVA_HOME"; fi
    if java=$(command -v java); then dirname "$(dirname "$(readlink -f "$java")")"; fi
    for java in /usr/lib/jvm/* /Library/Java/JavaVirtualMachines/*/Contents/Home /opt/homebrew/opt/openjdk@*; do
        if [ -x "$java/bin/java" ]; then echo "$java"; fi
    done
}

newer=
found() {
    local home major
    newer=
    while read -r home; do
        major=$(major_of "$home")
        case $major in
            17 | 21)
                printf 'export JAVA_HOME=%q\n' "$home"
                return 0
                ;;
            1[89] | 2[0-9] | [3-9][0-9]) newer=${newer:-$home} ;;
        esac
    done < <(candidates)
    return 1
}

if found; then exit 0; fi
if [ -n "$newer" ]; then
    say "only Java $(major_of "$newer") is here; Spark is made for 17 and 21, so install one of them if it fails"
    printf 'export JAVA_HOME=%q\n' "$newer"
    exit 0
fi
if apt_install_one_of openjdk-17-jre-headless openjdk-21-jre-headless && found; then exit 0; fi
die "Java 17 or 21 is needed and could not be installed from here. On Debian or Ubuntu:" \
    "sudo apt-get install openjdk-17-jre-headless. Elsewhere install any JDK 17 and set JAVA_HOME."
