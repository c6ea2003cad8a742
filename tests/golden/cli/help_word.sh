# Words of the glossary, and words that begin a SPEC; the case, a hyphen and a plural do not matter.
for word in mask program kernel loop coalesce addptr 'data race' mma ones --grid coalesed; do t "tilec help '$word'"; done
t "for word in masks Data-Race lock AOT forbid tilec_add_kernels TILEC_AOT_NO_DRIVER triton.Config.pre_hook; do tilec help \$word | head -n 1; done"
t "tilec help SPEC | sed -n 2,3p; tilec help randn | tail -n 4"
t "tilec help mask dot"
t "tilec help anchor; tilec help sink_waits; tilec help elementwise; tilec help load | tail -n 9 | head -n 4"
