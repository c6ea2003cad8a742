# Words of CUDA, from the tables of docs/how-to/coming-from-cuda.md; what a kernel is told about a name, help tells too.
for word in blockIdx threadIdx.x __SYNCTHREADS __shared__ stream cudaMalloc 'warp shuffle' __shfl_down_sync CTA 'if (i < n)' '<<<' expf cudaLaunchKernel racecheck; do t "tilec help '$word'"; done
for word in tanhf cudaMaloc __shfl; do t "tilec help $word"; done
# Names of the C++ API, from docs/reference/c++-api.md.
for word in tilec::kernel buffer::read from_image; do t "tilec help $word"; done
t 'for word in $(sed -n '"'"'s/^HINT("word", "\([^"]*\)".*/\1/p'"'"' "$ROOT/frontend/elaborate/hints.def"); do tilec help "$word" >text 2>&1 || grep -q "; write " text || echo "no help for $word"; done'
t "tilec help sinf; tilec help cuda::atomic_ref | head -n 1; tilec help __fancy 2>&1 | head -n 1"
