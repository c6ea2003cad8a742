#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check.sh FILE.args...: checks kernels without a GPU. Each file has the arguments of one 'tilec check'.
here=$(dirname "$0")
report=$(mktemp)
trap 'rm -f "$report"' EXIT
failed=0
for file in "$@"; do
  check=(--check)
  if grep -q '\.ptx' "$file"; then check=(); fi # PTX has no source to compare with
  if tilec check "${check[@]}" --strict --diagnostics=json "@$file" >/dev/null 2>"$report"; then
    echo "passed: $file"
  else
    echo "failed: $file"
    python3 "$here/annotate.py" <"$report"
    failed=1
  fi
done
exit $failed
