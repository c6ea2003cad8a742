// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/unit.h"
#include "base/arena.h"
#include "base/fault.h"
#include "base/intern.h"
#include "base/vec.h"

TEST(test_blocks_are_zeroed_aligned_and_disjoint) {
  Arena arena = {0};
  char *blocks[200];
  for (size_t i = 0; i < 200; i++) {
    size_t size = i * 997 % 100000;
    blocks[i] = arena_alloc(&arena, size);
    assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
    for (size_t k = 0; k < size; k++) assert_int_equal(blocks[i][k], 0);
    memset(blocks[i], (int)i + 1, size);
  }
  for (size_t i = 0; i < 200; i++)
    for (size_t k = 0; k < i * 997 % 100000; k++) assert_int_equal((unsigned char)blocks[i][k], i + 1);
  assert_true(arena_bytes(&arena) > 200 * 997);
  arena_free(&arena);
  assert_int_equal(arena_bytes(&arena), 0);
}

TEST(test_failure_is_a_fault) {
  Arena arena = {0};
  FaultFrame frame;
  volatile int done = 0;
  fault_enter(&frame);
  if (setjmp(frame.env) == 0) {
    arena_fail_after(3);
    for (; done < 10; done++) arena_alloc(&arena, 8);
  } else {
    assert_int_equal(frame.kind, FAULT_MEMORY);
  }
  fault_leave(&frame);
  arena_fail_after(0);
  assert_int_equal(done, 2);
  arena_free(&arena);
}

TEST(test_impossible_size_is_a_fault) {
  Arena arena = {0};
  FaultFrame frame;
  volatile int faults = 0;
  fault_enter(&frame);
  if (setjmp(frame.env) == 0)
    arena_array(&arena, SIZE_MAX / 2, 4);
  else
    faults++;
  fault_leave(&frame);
  fault_enter(&frame);
  if (setjmp(frame.env) == 0)
    arena_alloc(&arena, SIZE_MAX - 4);
  else
    faults++;
  fault_leave(&frame);
  assert_int_equal(faults, 2);
  arena_free(&arena);
}

TEST(test_interned_text_has_one_address) {
  Arena arena = {0};
  Interner names = {.arena = &arena};
  const char *first[1000];
  char text[16];
  for (int i = 0; i < 1000; i++) {
    snprintf(text, sizeof text, "name%d", i);
    first[i] = intern(&names, str_from(text));
    assert_string_equal(first[i], text);
  }
  for (int i = 0; i < 1000; i++) {
    snprintf(text, sizeof text, "name%d", i);
    assert_ptr_equal(intern(&names, str_from(text)), first[i]);
  }
  assert_ptr_equal(intern(&names, STR("")), intern(&names, (Str){0}));
  arena_free(&arena);
}

TEST(test_vector_grows) {
  Arena arena = {0};
  VEC(int) v = {0};
  for (int i = 0; i < 10000; i++) vec_push(&arena, &v, i * 3);
  assert_int_equal(v.n, 10000);
  for (int i = 0; i < 10000; i++) assert_int_equal(v.at[i], i * 3);
  assert_int_equal(vec_last(&v), 9999 * 3);
  assert_int_equal(vec_pop(&v), 9999 * 3);
  assert_int_equal(v.n, 9999);
  arena_free(&arena);
}

WHOLE_SUITE(arena)
