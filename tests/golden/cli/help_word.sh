# Words of the glossary, and words that begin a SPEC; the case, a hyphen and a plural do not matter.
for word in mask masks program kernel loop coalesce addptr 'data race' Data-Race mma empty ones SPEC --grid programm coalesed; do t "tilec help '$word'"; done
t "tilec help randn | tail -n 4"
t "tilec help mask dot"
