# A place that is inlined from a header: the name of its file outlives the launch that reported it. With 400 more
# instructions the memory of that launch is used again.
awk '{ print } /ld.global/ { for (i = 0; i < 400; i++) printf "  .loc 2 %d 12, inlined_at 1 5 9\n  add.u32 %%r1, %%r1, %d;\n", 320 + i, i }' inlined.ptx >long.ptx
for file in inlined long; do t "tilec check $file.ptx --kernel k --threads 32 --grid 1 zeros:i32[32]"; done
