# Kernels of CUDA C++ in PTX: two instantiations of a template, and limits of the CTA's size.
cat >names.ptx <<'END'
.version 7.8
.target sm_80
.address_size 64
.visible .entry _ZN3app4fillIfLi1EEEvPT_(.param .u64 y) { ret; }
.visible .entry _ZN3app4fillIiLi2EEEvPT_(.param .u64 y) { ret; }
.visible .entry few(.param .u64 y) .maxntid 64, 1, 1 { ret; }
.visible .entry exact(.param .u64 y) .reqntid 64, 1, 1 { ret; }
END
t "tilec check names.ptx --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel fill --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel app::fill --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel 'app::fill<int,2>' --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel 'fill<float, 1>' --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel 'fill<int, 1>' --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel few --threads 128 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel exact --threads 32 --grid 1 zeros:i32[1]"
t "tilec check names.ptx --kernel exact --threads 64 --grid 1 zeros:i32[1]"
