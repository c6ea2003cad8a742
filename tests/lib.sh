# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For test groups: counts, the closing line, and what part of the whole a run takes.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
tilec=$PWD/build/release/tilec
tilec_dev=$PWD/build/dev/tilec
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TILEC_CACHE=off TILEC_CACHE_DIR=$work/cache # as scripts/test says, for a group that is run by itself too

# ptxas, where there is one, by tests/bin: its answers are kept.
if command -v ptxas >/dev/null; then PATH=$PWD/tests/bin:$PATH; fi

# The piece of the group that runs (scripts/soak). 0 is ./dev test --all's; without PIECE the group runs a commit's part of
# it. PIECE=all takes the fixed pieces together. A group with more pieces than piece 0 has a line '# pieces: N'. N is the argument of `sampled`, or
# 'any' if seeds come from the piece's number.
piece=${PIECE:-0}
number=${piece/all/0}
declare -A met
# sampled N [SERIES]: true of one call in N, another one in each piece; of every one with PIECE=all. Calls are counted by series.
sampled() {
  local at=${met[${2:-calls}]:-0}
  met[${2:-calls}]=$((at + 1))
  [ "$piece" = all ] || [ $((at % $1)) -eq $((number % $1)) ]
}
# Checks that are the same in all pieces run in the first.
first_piece() { [ "$number" -eq 0 ]; }

# seed: the number that random parts begin from: $SEED; else HEAD's first eight digits, so that each commit tries others and the same commit
# the same; 1 outside of git. A group that uses it prints it.
seed() {
  local head
  head=$([ -n "${SEED:-}" ] || [ ! -e .git ] || git rev-parse HEAD 2>/dev/null)
  if [ -n "${SEED:-}" ]; then echo "$SEED"; elif [ -n "$head" ]; then echo $((16#${head:0:8})); else echo 1; fi
}

# by_commit N [SERIES]: true of one call in N in ./dev test, another one with each commit (the seed says which). Of every one with PIECE
# set: in ./dev test --all and in scripts/soak. Only what docs/testing.md lists as sampled may ask.
by_commit() {
  local at=${met[commit ${2:-calls}]:-0}
  met[commit ${2:-calls}]=$((at + 1))
  [ -n "${PIECE:-}" ] || [ $((at % $1)) -eq $((commit_seed % $1)) ]
}
commit_seed=$(seed)
# changed PATH...: true if a file of these differs from the commit before HEAD, or git does not know.
changed() { ! git diff --quiet HEAD~1 -- "$@" 2>/dev/null; }

# third: true with each third commit, which the group's name says, and if the group was named or failed last (TEST_NAMED).
# due PATH...: true with those, and if one of these has changed.
third() { [ -n "${TEST_NAMED:-}${PIECE:-}" ] || [ $(((commit_seed + $(cksum <<<"${0##*/}" | cut -d' ' -f1)) % 3)) -eq 0 ]; }
due() { third || changed "$@"; }
left_out() { echo "NOTE left out of this commit (./dev test --all runs it): $1"; }
# in_turn: ends the group here, except with each third commit, or if tests/changed gives it to a file that the commit changes (TEST_CHANGED).
in_turn() {
  case " ${TEST_CHANGED:-} " in *" ${0##*/} "* | *' * '*) return ;; esac
  third || { left_out "${0##*/}"; finish; exit; }
}

# The part of the group that runs, by a line '# parts: COMMAND' (tests/runner.py). Without PART all of them run.
# part NAME: whether that one runs. share N, for parts 'seq N': whether this call is in the part that runs. Each part has one call in N.
part() { [ -z "${PART:-}" ] || [ "$PART" = "$1" ]; }
share() {
  shared=$((${shared:-0} + 1))
  [ -z "${PART:-}" ] || [ $((shared % $1)) -eq $((PART % $1)) ]
}

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); printf 'FAILED %s\n' "$*"; }
# skipped WHAT WHY: no check of it was run. scripts/test counts these lines.
skipped() { printf 'SKIPPED %s: %s\n' "$1" "$2"; }

# cpu_limit SECONDS COMMAND...: ends the command after that much processor time, however busy the machine is. One that computes nothing is
# ended after half an hour.
cpu_limit() { (ulimit -S -t "$1" && ulimit -H -t $(($1 + 5)) && shift && exec timeout 1800 "$@"); }

# expect NAME COMMAND...: the command must succeed.
expect() {
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then pass; else fail "$name"; tail -n 15 "$work/log"; fi
}

# interrupt_after SECONDS COMMAND...: the command, with SIGINT once it has taken so much processor time; without /proc, after so long.
# Job control is on, as a shell without it starts such a process with SIGINT ignored.
interrupt_after() (
  set -m
  ticks=$(awk -v seconds="$1" -v hz="$(getconf CLK_TCK)" 'BEGIN { print int(seconds * hz) }')
  [ -e /proc/self/stat ] || slow=$1
  shift
  "$@" &
  child=$!
  while [ -z "${slow:-}" ] && read -r stat 2>/dev/null <"/proc/$child/stat"; do
    read -r -a fields <<<"${stat##*) }" # the third field, the state, is the first here
    [ "${fields[0]}" != Z ] && [ $((fields[11] + fields[12])) -lt "$ticks" ] || break
    sleep 0.05
  done
  sleep "${slow:-0}"
  kill -INT "$child" 2>/dev/null
  wait "$child"
)

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
