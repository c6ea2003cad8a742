# The Python API and Triton's host side, from docs/reference/python.md; what tilec does not take, from docs/triton-versions.md.
for word in triton.jit do_not_specialize n_spills triton.knobs.runtime.debug knobs.runtime.interpret tilec.Device \
  triton.heuristics triton.set_allocator clc num_ctas tl.float8e4b15 float8e5b16 libdevice.j0 triton.profiler \
  TRITON_CACHE_DIR top_k kernel.asm Config.num_warps triton.runtime.driver triton fn.nothing; do
  t "tilec help $word"
done
t 'tilec help warmup | grep -E "^[A-Za-z]"'
t 'tilec help num_warps | grep -E "^(tl\.)?num_warps"'
t 'tilec help shared'
t 'tilec help ttgir'
t 'tilec help autotne'
t 'tilec help triton.autotne'
t 'tilec help tl.float8e4b16'
t 'tilec help triton.Config --color=always | coloured | sed -n 1,3p'
# Each entry, parameter, option, attribute and setting of the page is explained, also under Triton's names.
t 'sed -n "s/^###* \(class \)\?\(t[^ ]*\)$/\2/p; s/^| \`\([a-zA-Z_.]*\)\`.*/\1/p" "$ROOT/docs/reference/python.md" | sort -u >words; [ $(wc -l <words) -gt 200 ] && while read -r word; do tilec help $word >text || echo "no help for $word"; grep -q "reference/python.md\|^$word is\|taken by: tilec\|^tilec $word" text || cat text; done <words'
