# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For the group install: the manual page is one, and bash completes commands, options, their values and files.
page=$there/share/man/man1/tilec.1
if command -v man >/dev/null; then
  MANWIDTH=100 man --warnings -E UTF-8 -l "$page" >"$work/page" 2>"$work/warnings"
  if [ -s "$work/page" ] && [ ! -s "$work/warnings" ]; then pass; else fail "tilec.1: $(head -n 3 "$work/warnings")"; fi
else
  skipped "the manual page" "there is no man"
fi
for verb in $(sed -n 's/^X(\([a-z]*\),.*/\1/p' tools/options/verbs.def); do
  if "$there/bin/tilec" help "$verb" >/dev/null; then pass; else fail "tilec.1 has a command '$verb' that there is not"; fi
done

# completes EXPECTED WORD...: what bash offers for the last word; EXPECTED is one of the offers, or 'none'.
completes() {
  local expected=$1 got
  shift
  got=$(
    # shellcheck disable=SC1091
    . "$there/share/bash-completion/completions/tilec"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _tilec
    printf '%s\n' "${COMPREPLY[@]}"
  ) 2>/dev/null
  if [ "$expected" = none ] && [ -z "$got" ] || grep -qxFe "$expected" <<<"$got"; then pass; else fail "bash completes '$*' to: $(tr '\n' ' ' <<<"$got")"; fi
}
completes run tilec r
completes check tilec ''
completes --arch= tilec run --ar
completes --output= tilec compile --out
completes --output= tilec x.tile --out
completes none tilec run --out
completes verify tilec cache v
completes --json tilec cache --j
completes none tilec cache --emi
completes sm_90a tilec x.tile --arch = sm_9
completes sm_121a tilec run --arch sm_12
completes ptx tilec compile --emit = ''
completes tf32x3 tilec run --fp32-dot = tf
completes place_barriers tilec x.tile --stop-after = pl
completes examples/add.tile tilec run examples/add
for shell in zsh fish; do
  file=$there/share/zsh/site-functions/_tilec
  [ $shell = zsh ] || file=$there/share/fish/vendor_completions.d/tilec.fish
  if command -v $shell >/dev/null; then expect "$shell reads its completion" $shell -n "$file"; else skipped "the completion of $shell" "it is not there (scripts/deb-test has it)"; fi
done
