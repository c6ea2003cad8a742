// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests of tests/kernels, each a kernel against its reference in C (reference_*.c).
#ifndef TESTS_KERNELS_TESTS_H
#define TESTS_KERNELS_TESTS_H

// clang-format off
#define KERNEL_TESTS(X)                                                                                      \
  X(flash_attention) X(flash_attention_causal) X(paged_attention) X(matmul) X(matmul_epilogues)              \
  X(matmul_split_k) X(matmul_persistent) X(matmul_descriptors) X(grouped_matmul) X(quantise_int8)            \
  X(scaled_matmul_int8) X(matmul_int4) X(fused_moe) X(corners) X(embedding) X(embedding_bag) X(kv_cache)     \
  X(scatter_rows) X(transpose) X(permute) X(pointer_list) X(sort_rows) X(layer_norm_forward)                 \
  X(layer_norm_backward) X(layer_norm_partial_sums) X(rms_norm_forward) X(rms_norm_backward)                 \
  X(cross_entropy) X(welford) X(rope) X(rope_interleaved) X(swiglu) X(geglu) X(dropout) X(dropout_of_four)   \
  X(random_words) X(inductor_pointwise) X(inductor_persistent_reduction) X(inductor_loop_reduction)          \
  X(selective_scan) X(reverse_cumsum) X(look_back) X(top1_routing) X(topk_routing) X(argmax_reduce)          \
  X(histogram_atomic) X(histogram_block) X(causal_conv1d)
// clang-format on

#define KERNEL_TEST(name)  void test_##name(void **unused __attribute__((unused)))
#define DECLARE_TEST(name) KERNEL_TEST(name);
KERNEL_TESTS(DECLARE_TEST)

#endif
