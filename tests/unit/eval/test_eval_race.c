// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator's atomics, the races that it finds and those that are none, and print and assert.
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

// 16 pointers from a base, and the same rotated by one.
#define POINTERS(name, base, type)                                                                           \
  "%s" name " = splat %" base " : tile<16x*" type ">\n%" name " = addptr %s" name ", %i : tile<16x*" type    \
  ">\n"
#define INDEX                                                                                                \
  "%i = arange {start = 0, end = 16} : tile<16xi32>\n%i1 = arange {start = 1, end = 17} : tile<16xi32>\n"    \
  "%mask15 = constant {value = 15} : tile<16xi32>\n%rot = and %i1, %mask15 : tile<16xi32>\n"
#define PID "%pid = program_id {axis = 0} : i32\n"

static void open_16(Kernel *k, const char *body, uint32_t programs) {
  kernel_open(k, "%x: *i32, %out: *i32, %f: *fp32, %n: i32", body);
  k->grid[0] = programs;
  int32_t x[16];
  float f[16];
  for (int i = 0; i < 16; i++) x[i] = i, f[i] = kernel_real(k);
  eval_memory_add(k->memory, X, x, sizeof x, true);
  eval_memory_add(k->memory, Y, f, sizeof f, true);
  eval_memory_add(k->memory, OUT, (int32_t[64]){0}, 256, true);
}

#define RUN16(k) RUN(k, X, OUT, Y, 5)

typedef struct Case {
  const char *name, *body, *says, *notes; // says NULL: nothing is to be reported
  uint32_t programs;
  bool fails;
} Case;

#define IN_PLACE                                                                                             \
  INDEX POINTERS("p", "x", "i32") "%v = load %p : tile<16xi32>\n%w = add %v, %v : tile<16xi32>\n"
#define ROTATED "%q = addptr %sp, %rot : tile<16x*i32>\n"
#define ATOMIC_LOCK                                                                                          \
  "%zero = constant {value = 0} : i32\n%one = constant {value = 1} : i32\n"                                  \
  "while test {\n%old = atomic_cas %out, %zero, %one : i32\n%go = eq %old, %one : i1\nyield %go\n} do "      \
  "{\nyield\n}\n"                                                                                            \
  "%d = addptr %x, %one : *i32\n%v = load %d : i32\n%w = add %v, %pid : i32\nstore %d, %w\n"                 \
  "%free = atomic_rmw %out, %zero {rmw = \"xchg\"} : i32\n"

static const Case CASES[] = {
    {"in place", IN_PLACE "store %p, %w\n", NULL, NULL, 1, false},
    {"in place, twice", IN_PLACE "store %p, %w\n%v2 = load %p : tile<16xi32>\nstore %p, %v2\n", NULL, NULL, 1,
     false},
    {"neighbour's value", IN_PLACE ROTATED "store %p, %w\n%v2 = load %q : tile<16xi32>\n",
     "data race on x[1] of 16: nothing orders this load and the store, in program (0, 0, 0), element 0",
     "the earlier store, in program (0, 0, 0), element 1", 1, true},
    {"neighbour's value after a barrier",
     IN_PLACE ROTATED "store %p, %w\nbarrier\n%v2 = load %q : tile<16xi32>\n", NULL, NULL, 1, false},
    {"neighbour's value after an atomic",
     IN_PLACE ROTATED
     "store %p, %w\n%o = constant {value = 1} : i32\n%a = atomic_rmw %out, %o {rmw = \"add\"} : i32\n"
     "%v2 = load %q : tile<16xi32>\n",
     "data race on x[1]", "store", 1, true},
    {"neighbour's value after an atomic whose old value is used",
     IN_PLACE ROTATED
     "store %p, %w\n%o = constant {value = 1} : i32\n%a = atomic_rmw %out, %o {rmw = \"add\"} : i32\n"
     "%far = addptr %out, %n : *i32\nstore %far, %a\n%v2 = load %q : tile<16xi32>\n",
     NULL, NULL, 1, false},
    {"neighbour's value after a relaxed atomic",
     IN_PLACE ROTATED
     "store %p, %w\n%o = constant {value = 1} : i32\n"
     "%a = atomic_rmw %out, %o {rmw = \"add\", sem = \"relaxed\"} : i32\n%v2 = load %q : tile<16xi32>\n",
     "data race on x[1]", "store", 1, true},
    {"write over a neighbour's read", IN_PLACE ROTATED "store %q, %w\n",
     "data race on x[1] of 16: nothing orders this store and the load",
     "the earlier load, in program (0, 0, 0), element 1", 1, true},
    {"write over a neighbour's read after a barrier", IN_PLACE ROTATED "barrier\nstore %q, %w\n", NULL, NULL,
     1, false},
    {"two values to one address", INDEX POINTERS("p", "x", "i32") "store %sp, %i\n",
     "data race on x[0] of 16: nothing orders this store of two elements, in program (0, 0, 0)", "element 0",
     1, true},
    {"one value to one address", INDEX POINTERS("p", "x", "i32") "store %sp, %mask15\n", NULL, NULL, 1,
     false},
    {"one value to one address, then another",
     INDEX POINTERS("p", "x", "i32") "%last = eq %i, %mask15 : tile<16xi1>\n"
                                     "%v = cast %last : tile<16xi32>\nstore %sp, %v\n",
     "data race on x[0] of 16: nothing orders this store of two elements", "element", 1, true},
    {"the same value over a neighbour's read",
     IN_PLACE "%z = sub %i, %i : tile<16xi32>\nstore %sp, %z\n", // x[0] is 0
     "data race on x[0] of 16: nothing orders this store and the load", "the earlier load", 1, true},
    {"a relaxed atomic, then a neighbour's load",
     IN_PLACE ROTATED "%a = atomic_rmw %p, %i {rmw = \"add\", sem = \"relaxed\"} : tile<16xi32>\n"
                      "%u = load %q : tile<16xi32>\n",
     "nothing orders this load and the atomic", "the earlier atomic", 1, true},
    {"a load, then a neighbour's relaxed atomic",
     IN_PLACE ROTATED "%a = atomic_rmw %q, %i {rmw = \"add\", sem = \"relaxed\"} : tile<16xi32>\n",
     "nothing orders this atomic and the load", "the earlier load", 1, true},
    {"an atomic of the same element",
     IN_PLACE "%a = atomic_rmw %p, %i {rmw = \"add\", sem = \"relaxed\"} : tile<16xi32>\n"
              "%u = load %p : tile<16xi32>\n",
     NULL, NULL, 1, false},
    {"an atomic, then a neighbour's load",
     IN_PLACE ROTATED "%a = atomic_rmw %p, %i {rmw = \"add\"} : tile<16xi32>\n%u = load %q : tile<16xi32>\n",
     "nothing orders this load and the atomic", "the earlier atomic", 1, true},
    {"a scalar and a tile", INDEX POINTERS("p", "x", "i32") "store %x, %n\n%v = load %p : tile<16xi32>\n",
     "data race on x[0]", "the earlier store, in program (0, 0, 0)", 1, true},
    {"two scalars", "store %x, %n\n%v = load %x : i32\nstore %x, %v\n", NULL, NULL, 1, false},
    {"other shapes",
     IN_PLACE "store %p, %w\n%p4 = reshape %p : tile<4x4x*i32>\n%v4 = load %p4 : tile<4x4xi32>\n",
     "data race on x[", "element 0", 1, true},
    {"another width", IN_PLACE "store %p, %w\n%b = bitcast %x : *i8\n%v2 = load %b : i8\n",
     "data race on x[0]", "store", 1, true},
    {"loop carried",
     IN_PLACE ROTATED
     "%z = constant {value = 0} : i32\n%o = constant {value = 1} : i32\n%t = constant {value = 2} : i32\n"
     "for %z, %t, %o do (%s: i32) {\n%v3 = load %q : tile<16xi32>\nbarrier\nstore %p, %v3\nyield\n}\n",
     "data race on x[1]", "store", 1, true},
    {"programs write one value", PID "store %x, %n\n", NULL, NULL, 4, false},
    {"programs write their own places", PID "%p = addptr %out, %pid : *i32\nstore %p, %pid\n", NULL, NULL, 4,
     false},
    {"programs write two values", PID "store %x, %pid\n",
     "nothing orders this store in program (1, 0, 0) and the same store in program (0, 0, 0)",
     "the earlier store, in program (0, 0, 0)", 4, true},
    {"a program reads what another wrote",
     PID "%p = addptr %x, %pid : *i32\nstore %p, %n\n%v = load %x : i32\n%o = addptr %out, %pid : "
         "*i32\nstore %o, %v\n",
     "this load in program (1, 0, 0) and the store in program (0, 0, 0)",
     "the earlier store, in program (0, 0, 0)", 4, true},
    {"a program adds atomically to what another reads",
     PID "%z = sub %pid, %pid : i32\n%first = eq %pid, %z : i1\n%v = load %x, %first, %z : i32\n"
         "%o = constant {value = 1} : i32\n%nf = ne %pid, %z : i1\n"
         "%a = atomic_rmw %x, %o, %nf {rmw = \"add\"} : i32\n",
     "this atomic in program (1, 0, 0) and the load in program (0, 0, 0)", "the earlier load", 2, true},
    {"a lock", PID ATOMIC_LOCK, NULL, NULL, 4, false},
    {"relaxed atomics order nothing",
     PID "%one = constant {value = 1} : i32\n%d = addptr %x, %one : *i32\n"
         "%a = atomic_rmw %out, %one {rmw = \"add\", sem = \"relaxed\"} : i32\n"
         "%v = load %d : i32\n%w = add %v, %one : i32\nstore %d, %w\n"
         "%b = atomic_rmw %out, %one {rmw = \"add\"} : i32\n",
     "this load in program (1, 0, 0) and the store in program (0, 0, 0)", "the earlier store", 2, true},
    {"a write over what two threads read",
     INDEX POINTERS(
         "p", "x",
         "i32") "%zero = constant {value = 0} : tile<16xi32>\n%first = addptr %sp, %zero : tile<16x*i32>\n"
                "%v = load %first : tile<16xi32>\n%eq = eq %i, %mask15 : tile<16xi1>\n"
                "store %first, %mask15, %eq\n",
     "data race on x[0]", "the earlier load", 1, true},
    {"atomics alone", PID "%o = constant {value = 1} : i32\n%a = atomic_rmw %x, %o {rmw = \"add\"} : i32\n",
     NULL, NULL, 4, false},
    {"atomic loads and a load",
     PID "%a = atomic_rmw %x, %pid {rmw = \"load\", sem = \"acquire\"} : i32\n%v = load %x : i32\n", NULL,
     NULL, 4, false},
    {"atomic loads and stores",
     PID "%a = atomic_rmw %x, %pid {rmw = \"load\", sem = \"acquire\"} : i32\n"
         "%b = atomic_rmw %x, %n {rmw = \"store\", sem = \"release\"} : i32\n",
     NULL, NULL, 4, false},
    {"an atomic load, then a write",
     PID "%z = sub %pid, %pid : i32\n%last = ne %pid, %z : i1\n"
         "%a = atomic_rmw %x, %z {rmw = \"load\", sem = \"relaxed\"} : i32\nstore %x, %n, %last\n",
     "this store in program (1, 0, 0) and the atomic in program (0, 0, 0)", "the earlier atomic", 2, true},
    {"a write, then an atomic load",
     PID "%z = sub %pid, %pid : i32\n%first = eq %pid, %z : i1\nstore %x, %n, %first\n"
         "%a = atomic_rmw %x, %z {rmw = \"load\", sem = \"acquire\"} : i32\n",
     "this atomic in program (1, 0, 0) and the store in program (0, 0, 0)", "the earlier store", 2, true},
    {"an atomic store, then a load",
     PID "%z = sub %pid, %pid : i32\n%first = eq %pid, %z : i1\n%last = ne %pid, %z : i1\n"
         "%a = atomic_rmw %x, %n, %first {rmw = \"store\", sem = \"release\"} : i32\n"
         "%v = load %x, %last, %z : i32\n",
     "this load in program (1, 0, 0) and the atomic in program (0, 0, 0)", "the earlier atomic", 2, true},
    {"another argument's buffer",
     "%d = constant {value = 786432} : i32\n%p = addptr %x, %d : *i32\n%v = load %p : i32\n",
     "load out of bounds: x[786432] of 16, in program (0, 0, 0)", "mask", 1, true},
    {"another argument's buffer by the difference of two pointers",
     "%a = bitcast %x : i64\n%b = bitcast %out : i64\n%four = constant {value = 4} : i64\n%bytes = sub %b, "
     "%a : i64\n"
     "%d = div %bytes, %four : i64\n%p = addptr %x, %d : *i32\n%v = load %p : i32\n",
     NULL, NULL, 1, false},
};

TEST(test_races) {
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    const Case *c = &CASES[i];
    Kernel k;
    open_16(&k, c->body, c->programs);
    bool ok = RUN16(&k);
    const char *said = kernel_said(&k, 0), *note = "";
    if (k.diags.list.n && k.diags.list.at[0]->notes.n) note = k.diags.list.at[0]->notes.at[0]->message;
    bool as_expected = c->says ? strstr(said, c->says) && strstr(note, c->notes) : !said[0];
    if (c->fails) as_expected &= k.diags.errors > 0;
    if (ok == c->fails || !as_expected) fail_msg("%s: says \"%s\", \"%s\"", c->name, said, note);
    kernel_close(&k);
  }
}

static uint64_t uncertain(Kernel *k, uint64_t address) {
  return kernel_check(k, address, kernel_bytes(k, address), ELEM_I32).uncertain;
}

// Wherever in the order the reader comes.
TEST(test_a_reader_before_the_writer) {
  Kernel k;
  open_16(&k,
          PID "%two = constant {value = 2} : i32\n%v = load %x : i32\n"
              "%o = addptr %out, %pid : *i32\nstore %o, %v\n%is = eq %pid, %two : i1\n"
              "if %is then {\nstore %x, %n\nyield\n} else {\nyield\n}\n",
          4);
  assert_false(RUN16(&k));
  kernel_expect(&k, 0, "nothing orders this store in program (2, 0, 0) and the load in program (1, 0, 0)");
  kernel_close(&k);
}

// A ticket from a contended counter; the counter itself does not depend on the order.
TEST(test_contended_old_value) {
  Kernel k;
  open_16(&k,
          PID "%o = constant {value = 1} : i32\n%t = atomic_rmw %x, %o {rmw = \"add\"} : i32\n"
              "%p = addptr %out, %pid : *i32\nstore %p, %t\n",
          4);
  kernel_must_run(&k, RUN16(&k));
  kernel_expect(&k, 0, "the old value of a contended atomic depends on the order");
  assert_int_equal(k.diags.list.n, 1);
  assert_int_equal(kernel_int(&k, X, ELEM_I32, 0), 4);
  assert_int_equal(uncertain(&k, OUT), 4);
  assert_int_equal(uncertain(&k, X), 0);
  kernel_close(&k);
  // One program, one address for each element: nothing is contended.
  open_16(&k,
          INDEX POINTERS("p", "x", "i32") POINTERS(
              "q", "out", "i32") "%t = atomic_rmw %p, %i {rmw = \"add\"} : tile<16xi32>\nstore %q, %t\n",
          1);
  kernel_must_run(&k, RUN16(&k));
  assert_int_equal(k.diags.list.n, 0);
  assert_int_equal(uncertain(&k, OUT), 0);
  for (uint32_t i = 0; i < 16; i++) {
    assert_int_equal(kernel_int(&k, OUT, ELEM_I32, i), i);
    assert_int_equal(kernel_int(&k, X, ELEM_I32, i), 2 * i);
  }
  kernel_close(&k);
}

// Memory under a lock is compared: the lock orders the programs, and waiting for it decides nothing.
TEST(test_lock) {
  Kernel k;
  open_16(&k, PID ATOMIC_LOCK, 4);
  kernel_must_run(&k, RUN16(&k));
  assert_int_equal(kernel_int(&k, X, ELEM_I32, 1), 1 + 0 + 1 + 2 + 3);
  assert_int_equal(kernel_int(&k, OUT, ELEM_I32, 0), 0);
  assert_int_equal(uncertain(&k, X), 0);
  kernel_close(&k);
}

static void check_rmw(const char *rmw, const char *type, Elem elem, uint64_t start, uint64_t value,
                      uint64_t want, bool masked) {
  Kernel k;
  char params[100], body[600];
  uint8_t bytes[8], data[16];
  snprintf(params, sizeof params, "%%x: *%s, %%v: *%s, %%out: *%s", type, type, type);
  snprintf(body, sizeof body,
           "%%w = load %%v : %s\n%%off = constant {value = %d} : i1\n%%old = atomic_rmw %%x, %%w, %%off {rmw "
           "= \"%s\"} : %s\n%s",
           type, !masked, rmw, type, masked ? "" : "store %out, %old\n");
  kernel_open(&k, params, body);
  memset(data, 0, sizeof data);
  number_store(elem, start, data);
  number_store(elem, value, bytes);
  eval_memory_add(k.memory, X, data, sizeof data, true);
  eval_memory_add(k.memory, Y, bytes, sizeof bytes, true);
  kernel_output(&k, OUT, 8);
  kernel_must_run(&k, RUN(&k, X, Y, OUT));
  assert_int_equal(kernel_int(&k, X, elem, 0), masked ? start : want);
  if (!masked) assert_int_equal(kernel_int(&k, OUT, elem, 0), start);
  kernel_close(&k);
}

TEST(test_rmw) {
  for (int masked = 0; masked < 2; masked++) {
    check_rmw("add", "i32", ELEM_I32, INT32_MAX, 1, (uint64_t)INT32_MIN, masked);
    check_rmw("max", "i32", ELEM_I32, (uint64_t)-5, 3, 3, masked);
    check_rmw("max", "u32", ELEM_U32, 0xfffffffb, 3, 0xfffffffb, masked);
    check_rmw("min", "i64", ELEM_I64, 7, (uint64_t)-9, (uint64_t)-9, masked);
    check_rmw("and", "u64", ELEM_U64, 0xff, 0x3c, 0x3c, masked);
    check_rmw("or", "i32", ELEM_I32, 0x10, 0x03, 0x13, masked);
    check_rmw("xor", "u32", ELEM_U32, 0xff, 0x0f, 0xf0, masked);
    check_rmw("xchg", "fp32", ELEM_FP32, 0x3f800000, 0x40000000, 0x40000000, masked);
    check_rmw("add", "fp16", ELEM_FP16, 0x3c00, 0x3c00, 0x4000, masked);
    check_rmw("add", "fp64", ELEM_FP64, number_encode(ELEM_FP64, 1.5), number_encode(ELEM_FP64, 2),
              number_encode(ELEM_FP64, 3.5), masked);
    check_rmw("max", "fp32", ELEM_FP32, 0xc0000000, 0xbf800000, 0xbf800000, masked);
  }
}

TEST(test_cas) {
  Kernel k;
  open_16(&k,
          INDEX POINTERS("p", "x", "i32")
              POINTERS("q", "out", "i32") "%five = constant {value = 5} : tile<16xi32>\n%t = atomic_cas %p, "
                                          "%five, %rot : tile<16xi32>\nstore %q, %t\n",
          1);
  kernel_must_run(&k, RUN16(&k));
  for (uint32_t i = 0; i < 16; i++) {
    assert_int_equal(kernel_int(&k, X, ELEM_I32, i), i == 5 ? 6 : i);
    assert_int_equal(kernel_int(&k, OUT, ELEM_I32, i), i);
  }
  kernel_close(&k);
}

// Terms added to one address in any order pass; a term left out does not.
TEST(test_float_sum) {
  Kernel k;
  float terms[16], sum = 0, got[64] = {0};
  kernel_open(
      &k, "%x: *fp32, %out: *fp32",
      INDEX POINTERS("p", "x", "fp32") "%v = load %p : tile<16xfp32>\n%o = splat %out : tile<16x*fp32>\n"
                                       "%t = atomic_rmw %o, %v {rmw = \"add\"} : tile<16xfp32>\n");
  k.grid[0] = 8;
  for (int i = 0; i < 16; i++) terms[i] = kernel_real(&k) + 1;
  eval_memory_add(k.memory, X, terms, sizeof terms, true);
  eval_memory_add(k.memory, OUT, got, sizeof got, true);
  kernel_must_run(&k, RUN(&k, X, OUT));
  for (int p = 0; p < 8; p++)
    for (int i = 16; i-- > 0;) sum += terms[i];
  got[0] = sum;
  EvalCheck check = kernel_check(&k, OUT, got, ELEM_FP32);
  if (check.wrong) fail_msg("%s", check.first_message);
  assert_int_equal(check.uncertain, 0);
  got[0] = sum - terms[3];
  assert_int_equal(kernel_check(&k, OUT, got, ELEM_FP32).wrong, 1);
  kernel_close(&k);
}

// The result of exchanges of different values depends on the order. With one value it does not.
TEST(test_exchanges) {
  for (int same = 0; same < 2; same++) {
    Kernel k;
    open_16(&k,
            same ? PID "%t = atomic_rmw %x, %n {rmw = \"xchg\"} : i32\n"
                 : PID "%t = atomic_rmw %x, %pid {rmw = \"xchg\"} : i32\n",
            4);
    kernel_must_run(&k, RUN16(&k));
    assert_int_equal(uncertain(&k, X), !same);
    kernel_close(&k);
  }
}

TEST(test_print) {
  Kernel k;
  open_16(&k,
          "%a = arange {start = 7, end = 9} : tile<2xi32>\n%v = load %f : fp32\n%h = constant {fvalue = 1.5} "
          ": fp32\n"
          "print %a {prefix = \"a: \"}\nprint %h, %a {prefix = \" both\", hex}\nprint %h {prefix = "
          "\"\"}\nprint {prefix = \"here\"}\n"
          "%off = constant {value = 0} : i1\n%u = load %x, %off : i32\nprint %u {prefix = \"u\"}\n",
          2);
  kernel_must_run(&k, RUN16(&k));
  static const char WANT[] =
      "pid (%d, 0, 0) idx (0) a: 7\npid (%d, 0, 0) idx (1) a: 8\n"
      "pid (%d, 0, 0) idx () both: (operand 0) 0x3fc00000\n"
      "pid (%d, 0, 0) idx (0) both: (operand 1) 0x00000007\n"
      "pid (%d, 0, 0) idx (1) both: (operand 1) 0x00000008\n"
      "pid (%d, 0, 0) idx (): 1.5\npid (%d, 0, 0) here\npid (%d, 0, 0) idx () u: undefined\n";
  char want[2000];
  size_t n = 0;
  for (int p = 0; p < 2; p++) n += (size_t)snprintf(want + n, sizeof want - n, WANT, p, p, p, p, p, p, p, p);
  assert_string_equal(k.printed.at, want);
  kernel_close(&k);
}

TEST(test_assert) {
  for (uint64_t bound = 15; bound <= 16; bound++) {
    Kernel k;
    open_16(
        &k,
        INDEX
        "%b = splat %n : tile<16xi32>\n%c = lt %i, %b : tile<16xi1>\nassert %c {message = \"too large\"}\n",
        1);
    assert_int_equal(RUN(&k, X, OUT, Y, bound), bound == 16);
    if (bound == 15) kernel_expect(&k, 0, "assertion failed: too large, in program (0, 0, 0), element 15");
    kernel_close(&k);
  }
}

TEST(test_machine_values) {
  Kernel k;
  open_16(&k,
          "%s = smid : i32\nstore %out, %s\ngdc_wait\ngdc_launch_dependents\n%t = globaltimer : i64\n%c = "
          "cast %t : i32\nstore %x, %c\n",
          1);
  kernel_must_run(&k, RUN16(&k));
  assert_int_equal(uncertain(&k, OUT), 1);
  assert_int_equal(uncertain(&k, X), 1);
  kernel_close(&k);
  open_16(&k,
          "%s = inline_asm %n {asm = \"mov.b32 $0, $1;\", constraints = \"=r,r\", pack = 1, pure} : i32\n",
          1);
  assert_false(RUN16(&k));
  kernel_expect(&k, 0, "the evaluator cannot evaluate inline assembly");
  kernel_close(&k);
}

WHOLE_SUITE(eval_race)
