#!/bin/sh
# Installs what a bare Debian 12 lacks. usage: sh tests/install.sh [build] [tests] [fuzz]
# The one list of packages; tests/run.sh, functions/demo.sh and .ci/run call it.
set -eu

# Boost by its version: the packages without it are 1.74, and the two exclude each other.
build='g++ cmake ninja-build pkg-config ccache libboost1.81-dev libboost-filesystem1.81-dev libboost-system1.81-dev
  libyaml-cpp-dev libspdlog-dev libfmt-dev nlohmann-json3-dev python3 curl'
tests='libgtest-dev libgmock-dev nodejs gunicorn uvicorn php-cgi apache2-utils strace valgrind libc6-dbg procps git'
fuzz='clang-14 libclang-rt-14-dev'

fail() {
  echo "install: $*" >&2
  exit 1
}

wanted=
for group in "$@"; do
  case $group in
    build) wanted="$wanted $build" ;;
    tests) wanted="$wanted $tests" ;;
    fuzz) wanted="$wanted $fuzz" ;;
    *) fail "there is no set of packages called $group (build, tests, fuzz)" ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  # shellcheck disable=SC2086  # one word a package, on one line
  fail "this needs Debian 12 or a relative with apt-get; elsewhere install the equivalents of:" $wanted
fi

missing=
for package in $wanted; do
  case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || :) in
    'install ok installed') ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "not root and no sudo here; as root: apt-get install$missing"
  as_root=sudo
fi

echo "install:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1
}
apt update || echo "install: the lists of packages could not be refreshed; trying with those that are here" >&2
# --no-remove: another Boost that stands in the way is for its owner to remove.
# shellcheck disable=SC2086  # one word a package
if ! apt install --no-install-recommends --no-remove $missing; then
  tail -n 20 "$log" >&2
  fail "apt-get could not install:$missing"
fi
