# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For test groups: counts, and the closing line.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
tilec=$PWD/build/release/tilec
tilec_dev=$PWD/build/dev/tilec
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); printf 'FAILED %s\n' "$*"; }

# expect NAME COMMAND...: the command must succeed.
expect() {
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then pass; else fail "$name"; tail -n 15 "$work/log"; fi
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
