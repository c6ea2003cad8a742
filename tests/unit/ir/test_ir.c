// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Building and changing IR, with its use lists; the verifier's rules that no text can break.
#include "tests/unit/unit.h"
#include "base/fault.h"
#include "ir/build.h"
#include "tests/unit/ir_fixture.h"

static uint32_t count_uses(const Value *value) {
  uint32_t n = 0;
  for (const Use *use = value->first_use; use; use = use->next) n++;
  return n;
}

TEST(test_uses_follow_every_change) {
  IrFixture s;
  ir_fixture_open(&s);
  Func *func = new_func(&s);
  Builder b = builder_at_end(func, func->body);
  Value *n = func->body->args[1], *one = build_int(&b, s.i32, 1), *two = build_int(&b, s.i32, 2);
  Value *sum = build_binary(&b, OP_ADD, n, one), *twice = build_binary(&b, OP_MUL, sum, sum);
  build_store(&b, func->body->args[0], twice, NULL);
  build_op(&b, OP_RETURN, 0, NULL, 0, NULL);
  expect_valid(&s);
  assert_int_equal(count_uses(sum), 2);
  value_replace_uses(sum, two);
  assert_true(value_unused(sum));
  assert_int_equal(count_uses(two), 2);
  expect_valid(&s);
  op_set_operand(twice->def, 1, one);
  assert_int_equal(count_uses(one), 2);
  expect_valid(&s);
  op_erase(sum->def);
  assert_null(sum->def->region);
  assert_int_equal(count_uses(one), 1);
  assert_true(value_unused(n));
  value_replace_uses(one, one);
  expect_valid(&s);
  ir_fixture_close(&s);
}

TEST(test_erasing_what_is_used_is_a_fault) {
  IrFixture s;
  ir_fixture_open(&s);
  Func *func = new_func(&s);
  Builder b = builder_at_end(func, func->body);
  Value *one = build_int(&b, s.i32, 1);
  build_binary(&b, OP_ADD, one, one);
  volatile bool faulted = false;
  FaultFrame frame;
  fault_enter(&frame);
  if (setjmp(frame.env) == 0)
    op_erase(one->def);
  else
    faulted = true;
  fault_leave(&frame);
  assert_true(faulted);
  ir_fixture_close(&s);
}

TEST(test_operands_can_be_added_while_used_values_stay_listed) {
  IrFixture s;
  ir_fixture_open(&s);
  Func *func = new_func(&s);
  Builder b = builder_at_end(func, func->body);
  Value *one = build_int(&b, s.i32, 1);
  Op *loop = build_for(&b, one, func->body->args[1], one, 1, &one);
  Builder inner = builder_at_end(func, loop->regions[0]);
  Op *yield = build_op(&inner, OP_YIELD, 0, NULL, 0, NULL);
  op_add_operand(yield, one);
  build_op(&b, OP_RETURN, 0, NULL, 0, NULL);
  assert_int_equal(count_uses(one), 4);
  expect_valid(&s);
  op_set_operand(yield, 0, loop->regions[0]->args[1]);
  expect_valid(&s);
  op_erase(loop); // drops the uses within, too
  assert_true(value_unused(one));
  assert_null(yield->region);
  expect_valid(&s);
  ir_fixture_close(&s);
}

TEST(test_regions_know_their_warps) {
  IrFixture s;
  ir_fixture_open(&s);
  s.module->target.num_warps = 8;
  Func *func = new_func(&s);
  Builder b = builder_at_end(func, func->body);
  Value *one = build_int(&b, s.i32, 1);
  Op *loop = build_for(&b, one, func->body->args[1], one, 1, &one);
  Builder inner = builder_at_end(func, loop->regions[0]);
  Op *yield = build_op(&inner, OP_YIELD, 1, &one, 0, NULL);
  assert_int_equal(func_warps(func), 8);
  assert_int_equal(region_warps_of(loop->regions[0]).first, 0);
  assert_int_equal(region_warps(yield), 8);
  assert_int_equal(region_warp_bits(loop), 3);
  assert_int_equal(region_threads(loop), 256);
  assert_ptr_equal(value_region(one), func->body);
  assert_ptr_equal(value_region(loop->regions[0]->args[0]), loop->regions[0]);
  ir_fixture_close(&s);
}

TEST(test_moving_and_inserting_keep_order) {
  IrFixture s;
  ir_fixture_open(&s);
  Func *func = new_func(&s);
  Builder b = builder_at_end(func, func->body);
  Value *one = build_int(&b, s.i32, 1), *two = build_int(&b, s.i32, 2), *three = build_int(&b, s.i32, 3);
  Op *ret = build_op(&b, OP_RETURN, 0, NULL, 0, NULL);
  op_move(three->def, func->body, one->def);
  op_move(one->def, func->body, ret);
  Builder before = builder_before(two->def), after = builder_after(two->def);
  Value *four = build_int(&before, s.i32, 4), *five = build_int(&after, s.i32, 5);
  const Value *order[] = {three, four, two, five, one};
  const Op *op = func->body->first;
  for (int i = 0; i < 5; i++, op = op->next) assert_ptr_equal(op, order[i]->def);
  ir_fixture_close(&s);
}

typedef struct Visits {
  uint32_t n;
  bool erases;
} Visits;

static void visit(Op *op, void *data) {
  Visits *visits = data;
  visits->n++;
  bool unused = op->result_count == 1 && value_unused(op_result(op));
  if (visits->erases && unused && op_is_dead(op))
    op_erase(op);
  else if (visits->erases && op->kind == OP_ADD) {
    Builder b = builder_before(op);
    op_set_operand(op, 0, build_int(&b, op_result(op)->type, 9));
  }
}

TEST(test_walking_is_safe_while_ops_go_and_come) {
  IrFixture s;
  ir_fixture_open(&s);
  Func *func = new_func(&s);
  Builder b = builder_at_end(func, func->body);
  Value *n = func->body->args[1], *one = build_int(&b, s.i32, 1);
  build_int(&b, s.i32, 7);
  Op *loop = build_for(&b, one, n, one, 0, NULL);
  Builder inner = builder_at_end(func, loop->regions[0]);
  build_int(&inner, s.i32, 8);
  Value *sum = build_binary(&inner, OP_ADD, n, one);
  build_store(&inner, func->body->args[0], sum, NULL);
  build_op(&inner, OP_YIELD, 0, NULL, 0, NULL);
  build_op(&b, OP_RETURN, 0, NULL, 0, NULL);
  Visits visits = {0};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) visit(w.op, &visits);
  assert_int_equal(visits.n, 8);
  visits = (Visits){.erases = true};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) visit(w.op, &visits);
  assert_int_equal(visits.n, 8);
  expect_valid(&s);
  visits = (Visits){0};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) visit(w.op, &visits);
  assert_int_equal(visits.n, 7); // two constants went, one came
  ir_fixture_close(&s);
}

// The kinds of ops in the order of the walk. Erases the ops of kind `erased`.
static void expect_walk(OpWalk w, OpKind erased, const char *names) {
  char seen[200] = "";
  while (ops_next(&w)) {
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s ", op_info(w.op->kind)->name);
    if (w.op->kind != erased) continue;
    if (erased == OP_SUB) op_erase(w.op->next);
    op_erase(w.op);
  }
  assert_string_equal(seen, names);
}

TEST(test_walks_and_queries) {
  IrFixture s;
  ir_fixture_open(&s);
  Func *func = new_func(&s);
  Builder b = builder_at_end(func, func->body);
  Value *n = func->body->args[1], *one = build_int(&b, s.i32, 1);
  Op *loop = build_for(&b, one, n, one, 0, NULL);
  Builder inner = builder_at_end(func, loop->regions[0]);
  Op *branch = build_if(&inner, build_binary(&inner, OP_EQ, n, one), 0, NULL);
  for (uint32_t r = 0; r < 2; r++) {
    Builder in_branch = builder_at_end(func, branch->regions[r]);
    if (r == 1) build_store(&in_branch, func->body->args[0], build_binary(&in_branch, OP_ADD, n, one), NULL);
    build_op(&in_branch, OP_YIELD, 0, NULL, 0, NULL);
  }
  build_op(&inner, OP_YIELD, 0, NULL, 0, NULL);
  Value *less = build_binary(&b, OP_SUB, n, one);
  build_store(&b, func->body->args[0], less, NULL);
  build_op(&b, OP_RETURN, 0, NULL, 0, NULL);
  func_number(func);
  const Op *add = ops_find(func->body, OP_ADD);
  expect_walk(ops_in(func->body), OP_COUNT,
              "constant for eq if yield add store yield yield sub store return ");
  expect_walk(ops_outward(func->body), OP_COUNT,
              "constant eq yield add store yield if yield for sub store return ");
  expect_walk(ops_in(func->body), OP_SUB, "constant for eq if yield add store yield yield sub return ");
  expect_walk(ops_of(branch), OP_COUNT, "if yield add store yield ");
  expect_walk(ops_inside(branch), OP_COUNT, "yield add store yield ");
  expect_walk(ops_of(add), OP_COUNT, "add ");
  expect_walk(ops_inside(add), OP_COUNT, "");
  assert_null(region_find(func->body, OP_ADD));
  assert_ptr_equal(region_find(branch->regions[1], OP_ADD), add);
  assert_int_equal(op_effects(loop), WRITES);
  assert_int_equal(op_effects(add), 0);
  assert_ptr_equal(op_enclosing_loop(add), loop);
  assert_null(op_enclosing_loop(loop));
  assert_non_null(value_single_use(op_result(add)));
  assert_null(value_single_use(one));
  assert_true(value_uniform(one) && !value_uniform(n));
  bool marks[16] = {false};
  op_mark_inside(loop, marks, true);
  assert_true(marks[loop_index(loop)->id] && marks[op_result(add)->id] && !marks[one->id] && !marks[n->id]);
  expect_walk(ops_in(func->body), OP_STORE, "constant for eq if yield add store yield yield return ");
  expect_walk(ops_outward(func->body), OP_IF, "constant eq yield add yield if yield for return ");
  expect_walk(ops_in(func->body), OP_FOR, "constant for return ");
  ir_fixture_close(&s);
}

TEST(test_attributes_are_sorted_and_replaced) {
  IrFixture s;
  ir_fixture_open(&s);
  Func *func = new_func(&s);
  Builder b = builder_at_end(func, func->body);
  Op *load = build_load(&b, func->body->args[0], NULL, NULL)->def;
  op_set_attr(load, (Attr){.key = ATTR_VECTOR, .i = 1});
  op_set_attr(load, (Attr){.key = ATTR_VOLATILE});
  op_set_attr(load, (Attr){.key = ATTR_ALIGN, .i = 4});
  op_set_attr(load, (Attr){.key = ATTR_ALIGN, .i = 8});
  assert_int_equal(load->attrs.n, 3);
  for (uint32_t i = 1; i < 3; i++) assert_true(load->attrs.at[i - 1].key < load->attrs.at[i].key);
  assert_int_equal(op_int(load, ATTR_ALIGN, 0), 8);
  assert_false(op_is_dead(load));
  op_remove_attr(load, ATTR_VOLATILE);
  assert_true(op_is_dead(load));
  assert_null(op_attr(load, ATTR_VOLATILE));
  assert_int_equal(op_int(load, ATTR_AXIS, -1), -1);
  ir_fixture_close(&s);
}

TEST(test_constants_are_found_through_splats) {
  IrFixture s;
  ir_fixture_open(&s);
  Func *func = new_func(&s);
  Builder b = builder_at_end(func, func->body);
  const Type *tile = type_tile(&s.ir, s.i32, 1, (uint32_t[]){16}, NULL);
  int64_t i = 0;
  double f = 0;
  assert_true(value_int_constant(build_splat(&b, build_int(&b, s.i32, 300), tile), &i) && i == 300);
  assert_true(value_int_constant(build_int(&b, type_scalar(&s.ir, ELEM_I8), 300), &i) && i == 44);
  assert_false(value_int_constant(func->body->args[1], &i));
  assert_true(value_float_constant(build_float(&b, type_scalar(&s.ir, ELEM_FP16), 2049), &f) && f == 2048);
  assert_false(value_int_constant(build_float(&b, type_scalar(&s.ir, ELEM_FP16), 1), &i));
  ir_fixture_close(&s);
}

TEST(test_names_are_made_unique) {
  IrFixture s;
  ir_fixture_open(&s);
  Func *func = new_func(&s);
  Builder b = builder_at_end(func, func->body);
  const char *const hints[] = {"x", "x", "x_1", "n", "not plain", "x"};
  for (int i = 0; i < 6; i++) build_int(&b, s.i32, i)->name = ir_name(&s.ir, str_from(hints[i]));
  build_op(&b, OP_RETURN, 0, NULL, 0, NULL);
  Buf out = {0};
  module_print(s.module, &(PrintOptions){.no_locs = true}, &out);
  assert_string_equal(strstr(out.at, "kernel"), "kernel @k(%p: *i32, %n: i32) {\n"
                                                "  %x = constant {value = 0} : i32\n"
                                                "  %x_1 = constant {value = 1} : i32\n"
                                                "  %x_1_1 = constant {value = 2} : i32\n"
                                                "  %n_1 = constant {value = 3} : i32\n"
                                                "  %6 = constant {value = 4} : i32\n"
                                                "  %x_2 = constant {value = 5} : i32\n"
                                                "  return\n}\n}\n");
  buf_free(&out);
  ir_fixture_close(&s);
}

// A valid kernel with one op `sum` in it, for the tests below to break.
static Func *breakable(IrFixture *s, Value **sum) {
  ir_fixture_open(s);
  Func *func = new_func(s);
  Builder b = builder_at_end(func, func->body);
  Value *one = build_int(&b, s->i32, 1);
  *sum = build_binary(&b, OP_ADD, one, func->body->args[1]);
  build_op(&b, OP_RETURN, 0, NULL, 0, NULL);
  expect_valid(s);
  return func;
}

TEST(test_broken_use_lists_are_found) {
  IrFixture s;
  Value *sum;
  breakable(&s, &sum);
  sum->def->operands[0].value->first_use = NULL;
  expect_broken(&s, "value 2 has 1 uses, its use list 0");
  ir_fixture_close(&s);
  breakable(&s, &sum);
  sum->first_use = sum->last_use = &sum->def->operands[0];
  expect_broken(&s, "the use list of value 3 is broken");
  ir_fixture_close(&s);
  breakable(&s, &sum);
  sum->def->operands[1].user = NULL;
  expect_broken(&s, "add: operand 1 is not in a use list");
  ir_fixture_close(&s);
}

TEST(test_use_before_definition_is_found) {
  IrFixture s;
  Value *sum;
  Func *func = breakable(&s, &sum);
  op_move(sum->def, func->body, func->body->first);
  expect_broken(&s, "add: operand 0 is not defined before it, in its region or one around");
  ir_fixture_close(&s);
}

TEST(test_other_broken_structure_is_found) {
  IrFixture s;
  Value *sum;
  Func *func = breakable(&s, &sum);
  sum->index = 3;
  expect_broken(&s, "add: result 0 does not know its op");
  ir_fixture_close(&s);
  func = breakable(&s, &sum);
  func->body->args[0]->type = s.i32;
  expect_broken(&s, "the arguments of the body are not the parameters");
  ir_fixture_close(&s);
  func = breakable(&s, &sum);
  func->params[1].name = func->params[0].name;
  expect_broken(&s, "two parameters are named p");
  ir_fixture_close(&s);
  func = breakable(&s, &sum);
  func->params[1].name = "a b";
  expect_broken(&s, "'a b' is not a parameter name");
  ir_fixture_close(&s);
  func = breakable(&s, &sum);
  func->name = "";
  expect_broken(&s, "that is not a kernel name");
  ir_fixture_close(&s);
  func = breakable(&s, &sum);
  func_new_host(func, HOST_GRID, NULL);
  expect_broken(&s, "the grid does not end with yield");
  ir_fixture_close(&s);
  func = breakable(&s, &sum);
  func->constexprs = &(Constexpr){.name = "1x"};
  func->constexpr_count = 1;
  expect_broken(&s, "'1x' is not a constexpr name");
  ir_fixture_close(&s);
  func = breakable(&s, &sum);
  func->body->first->next->prev = NULL;
  expect_broken(&s, "the list of its region's ops is broken");
  ir_fixture_close(&s);
  breakable(&s, &sum);
  s.module->target.arch = NULL;
  expect_broken(&s, "module: no target");
  ir_fixture_close(&s);
}

TEST(test_every_op_row_is_consistent) {
  for (int kind = 0; kind < OP_COUNT; kind++) {
    const OpInfo *info = op_info((OpKind)kind);
    OpKind found;
    assert_true(op_parse_kind(str_from(info->name), &found) && found == (OpKind)kind);
    assert_true(op_min_operands((OpKind)kind) <= op_max_operands((OpKind)kind));
    const char *words = info->attrs;
    for (Str word; words_next(&words, &word);) {
      AttrKey key;
      bool optional = word.at[word.n - 1] == '?';
      assert_true(attr_parse_key((Str){word.at, word.n - optional}, &key));
      assert_int_equal(op_attr_use((OpKind)kind, key), optional ? ATTR_OPTIONAL : ATTR_REQUIRED);
    }
  }
  assert_int_equal(op_min_operands(OP_LOAD), 1);
  assert_int_equal(op_max_operands(OP_LOAD), 4);
  assert_int_equal(op_min_operands(OP_FOR), 3);
  assert_true(op_max_operands(OP_FOR) == UINT32_MAX);
}

WHOLE_SUITE(ir)
