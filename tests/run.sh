#!/bin/sh
# Builds fwatchdog and fbench and runs the tests; installs what is missing first.
# usage: sh tests/run.sh [release|asan|tsan|static|fuzz|long] [CTEST ARGUMENT...]
#   release  optimised; every test but the long ones (the default)
#   asan     the same under AddressSanitizer and UndefinedBehaviorSanitizer
#   tsan     the tests labelled `threads` under ThreadSanitizer
#   static   one static file for any container; it must start
#   fuzz     each target of tests/fuzz for FUZZ_SECONDS (30)
#   long     optimised; only the long tests
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
kind=${1:-release}
[ $# -eq 0 ] || shift
jobs=${JOBS:-$(nproc)}
step=start

say() { printf '== %s\n' "$*"; }
usage() {
  sed -n '2,/^set -eu/{/^#/s/^# \{0,1\}//p;}' "$0" >&2
  exit 64
}
finish() {
  code=$?
  [ "$code" -eq 0 ] || printf '== FAILED (%s): %s\n' "$kind" "$step" >&2
}

case $kind in
  release | asan | tsan | static) preset=$kind ;;
  long) preset=release ;;
  fuzz) preset= ;;
  *) usage ;;
esac
trap finish EXIT

# gcc 12's ThreadSanitizer does not start where the kernel spreads addresses further than it knows.
spread=$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)
if [ "$kind" = tsan ] && [ "$spread" -gt 28 ]; then
  fixed_addresses="setarch $(uname -m) -R"
else
  fixed_addresses=
fi

run() {
  step=$*
  say "$step"
  $fixed_addresses "$@"
}

build_preset() {
  step='install packages' && say "$step"
  sh tests/install.sh build tests
  run cmake --preset "$preset"
  run cmake --build "build/$preset" --parallel "$jobs" "$@"
}

# UBSan reports and goes on unless told otherwise.
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}"

run_tests() { run ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$jobs" "$@"; }

run_fuzz() {
  if [ ! -f tests/fuzz/CMakeLists.txt ]; then
    say 'there is nothing to fuzz yet'
    return
  fi
  step='install packages' && say "$step"
  sh tests/install.sh build tests fuzz
  run cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++-14 -DFWD_FUZZ=ON
  names=
  for source in tests/fuzz/*_fuzz.cpp; do
    name=${source##*/}
    names="$names ${name%_fuzz.cpp}"
  done
  # shellcheck disable=SC2086,SC2046  # one word a target
  run cmake --build build/fuzz --parallel "$jobs" --target $(printf 'fuzz_%s ' $names)
  for name in $names; do
    mkdir -p "build/fuzz/corpus/$name"
    seeds=tests/fuzz/corpus/$name
    [ -d "$seeds" ] || seeds=
    # shellcheck disable=SC2086  # no seeds, no argument
    run "build/fuzz/bin/fuzz_$name" -max_total_time="${FUZZ_SECONDS:-30}" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
      -artifact_prefix="build/fuzz/$name-" "build/fuzz/corpus/$name" $seeds
  done
}

case $kind in
  fuzz) run_fuzz ;;
  static)
    build_preset
    run "build/$preset/bin/fwatchdog" -version
    run ls -l "build/$preset/bin/fwatchdog" "build/$preset/bin/fbench"
    ;;
  tsan)
    build_preset --target thread_tests
    run_tests --label-regex threads --label-exclude long "$@"
    ;;
  long)
    build_preset
    run_tests --label-regex long "$@"
    ;;
  *)
    build_preset
    run_tests --label-exclude long "$@"
    ;;
esac
say "passed: $kind"
