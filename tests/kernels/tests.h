// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests of tests/kernels, each a kernel against its reference in C (reference_*.c).
#ifndef TESTS_KERNELS_TESTS_H
#define TESTS_KERNELS_TESTS_H

void test_flash_attention(void **unused);
void test_flash_attention_causal(void **unused);
void test_paged_attention(void **unused);
void test_matmul(void **unused);
void test_matmul_epilogues(void **unused);
void test_matmul_split_k(void **unused);
void test_matmul_persistent(void **unused);
void test_matmul_descriptors(void **unused);
void test_grouped_matmul(void **unused);
void test_quantise_int8(void **unused);
void test_scaled_matmul_int8(void **unused);
void test_matmul_int4(void **unused);
void test_fused_moe(void **unused);
void test_corners(void **unused);
void test_embedding(void **unused);
void test_embedding_bag(void **unused);
void test_kv_cache(void **unused);
void test_scatter_rows(void **unused);
void test_transpose(void **unused);
void test_permute(void **unused);
void test_pointer_list(void **unused);
void test_sort_rows(void **unused);
void test_layer_norm_forward(void **unused);
void test_layer_norm_backward(void **unused);
void test_layer_norm_partial_sums(void **unused);
void test_rms_norm_forward(void **unused);
void test_rms_norm_backward(void **unused);
void test_cross_entropy(void **unused);
void test_welford(void **unused);
void test_rope(void **unused);
void test_rope_interleaved(void **unused);
void test_swiglu(void **unused);
void test_geglu(void **unused);
void test_dropout(void **unused);
void test_dropout_of_four(void **unused);
void test_random_words(void **unused);
void test_inductor_pointwise(void **unused);
void test_inductor_persistent_reduction(void **unused);
void test_inductor_loop_reduction(void **unused);
void test_selective_scan(void **unused);
void test_reverse_cumsum(void **unused);
void test_look_back(void **unused);
void test_top1_routing(void **unused);
void test_topk_routing(void **unused);
void test_argmax_reduce(void **unused);
void test_histogram_atomic(void **unused);
void test_histogram_block(void **unused);
void test_causal_conv1d(void **unused);

#endif
