#!/bin/sh
# From a bare Debian 12 to a hot function and its benchmark: installs what is missing, builds fwatchdog and fbench,
# serves the Python function in functions/python3-afterburn on a free port, benchmarks it, stops everything.
# Ends as fbench does: 0 if no request failed.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/demo
scratch=$(mktemp -d)
watchdog=

say() { printf '== %s\n' "$*"; }
fail() {
  printf '== FAILED: %s\n' "$*" >&2
  [ ! -s "$scratch/log" ] || tail -n 20 "$scratch/log" >&2
  exit 1
}

# True once the watchdog is gone, waiting up to $1 tenths of a second.
gone() {
  tenths=$1
  while kill -0 "$watchdog" 2>/dev/null; do
    [ "$tenths" -gt 0 ] || return 1
    tenths=$((tenths - 1))
    sleep 0.1
  done
}

clean_up() {
  code=$?
  trap - EXIT
  if [ -n "$watchdog" ] && kill -TERM "$watchdog" 2>/dev/null; then
    gone 100 || kill -KILL "$watchdog" 2>/dev/null || :
    wait "$watchdog" 2>/dev/null || :
  fi
  rm -rf "$scratch"
  exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say 'installing what is missing'
sh "$root/tests/install.sh" build || fail 'the packages above could not be installed'

say 'building fwatchdog and fbench'
cd "$root"
cmake --preset release -B "$build" -DFWD_TESTS=OFF >"$scratch/log" 2>&1 || fail 'cmake could not configure the build'
: >"$scratch/log"
cmake --build "$build" --parallel "$(nproc)" --target fwatchdog fbench || fail 'the build stopped with the error above'

say 'starting functions/python3-afterburn behind fwatchdog'
# A lock file and a port of its own: other watchdogs on this machine are not disturbed.
TMPDIR=$scratch "$build/bin/fwatchdog" --mode afterburn --port 0 --metrics-port 0 \
  -- python3 "$root/functions/python3-afterburn/index.py" >"$scratch/log" 2>&1 &
watchdog=$!
tenths=300
port=
until [ -n "$port" ] && curl -fs --noproxy '*' -o "$scratch/ready" "http://127.0.0.1:$port/_/ready"; do
  kill -0 "$watchdog" 2>/dev/null || fail 'fwatchdog has ended; its log:'
  [ "$tenths" -gt 0 ] || fail 'the function was not ready within 30 s; the log:'
  tenths=$((tenths - 1))
  sleep 0.1
  port=$(sed -n 's/.*Listening on port: \([0-9][0-9]*\).*/\1/p' "$scratch/log" | head -n 1)
done

printf 'afterburn is hot\n' >"$scratch/body" # 17 bytes, as many as the first benchmark of an afterburn function had
answer=$(curl -fsS --noproxy '*' --max-time 30 --data-binary "@$scratch/body" "http://127.0.0.1:$port/") ||
  fail 'the function did not answer; the log:'
say "the function says: $answer"
say "fbench -n 1000 -c 20 -p body http://127.0.0.1:$port/"
"$build/bin/fbench" -n 1000 -c 20 -p "$scratch/body" "http://127.0.0.1:$port/"
