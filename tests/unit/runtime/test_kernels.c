// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as real files have them (tests/kernels/*.py). They are parsed, elaborated, and run by the
// reference evaluator on small ragged shapes. References in C check the results. Any race or
// undefined value fails.
#include "tests/unit/unit.h"
#include "runtime/compile/compile.h"
#include "tests/kernels/tests.h"

int suite_kernels(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flash_attention),
      cmocka_unit_test(test_flash_attention_causal),
      cmocka_unit_test(test_paged_attention),
      cmocka_unit_test(test_matmul),
      cmocka_unit_test(test_matmul_epilogues),
      cmocka_unit_test(test_matmul_split_k),
      cmocka_unit_test(test_matmul_persistent),
      cmocka_unit_test(test_matmul_descriptors),
      cmocka_unit_test(test_grouped_matmul),
      cmocka_unit_test(test_quantise_int8),
      cmocka_unit_test(test_scaled_matmul_int8),
      cmocka_unit_test(test_matmul_int4),
      cmocka_unit_test(test_fused_moe),
      cmocka_unit_test(test_corners),
      cmocka_unit_test(test_embedding),
      cmocka_unit_test(test_embedding_bag),
      cmocka_unit_test(test_kv_cache),
      cmocka_unit_test(test_scatter_rows),
      cmocka_unit_test(test_transpose),
      cmocka_unit_test(test_permute),
      cmocka_unit_test(test_pointer_list),
      cmocka_unit_test(test_sort_rows),
      cmocka_unit_test(test_layer_norm_forward),
      cmocka_unit_test(test_layer_norm_backward),
      cmocka_unit_test(test_layer_norm_partial_sums),
      cmocka_unit_test(test_rms_norm_forward),
      cmocka_unit_test(test_rms_norm_backward),
      cmocka_unit_test(test_cross_entropy),
      cmocka_unit_test(test_welford),
      cmocka_unit_test(test_rope),
      cmocka_unit_test(test_rope_interleaved),
      cmocka_unit_test(test_swiglu),
      cmocka_unit_test(test_geglu),
      cmocka_unit_test(test_dropout),
      cmocka_unit_test(test_dropout_of_four),
      cmocka_unit_test(test_random_words),
      cmocka_unit_test(test_inductor_pointwise),
      cmocka_unit_test(test_inductor_persistent_reduction),
      cmocka_unit_test(test_inductor_loop_reduction),
      cmocka_unit_test(test_selective_scan),
      cmocka_unit_test(test_reverse_cumsum),
      cmocka_unit_test(test_look_back),
      cmocka_unit_test(test_top1_routing),
      cmocka_unit_test(test_topk_routing),
      cmocka_unit_test(test_argmax_reduce),
      cmocka_unit_test(test_histogram_atomic),
      cmocka_unit_test(test_histogram_block),
      cmocka_unit_test(test_causal_conv1d),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
