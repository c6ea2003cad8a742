// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generator, in parts: values and memory (generate_values.c, generate_memory.c), statements by concern.
//
// A program is made of statements in three-address form, "v7 = v3 + v5". Each has the type and
// shape of the value that it defines. So the program often stays valid after a statement is
// dropped, or an operand replaces the result.
#ifndef TESTS_FUZZ_PROGRAMS_GENERATE_H
#define TESTS_FUZZ_PROGRAMS_GENERATE_H

#include "tests/fuzz/programs/program.h"

typedef enum Kind { KIND_BOOL, KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT, KIND_FP8 } Kind;

typedef enum ElemType {
  T_I1,
  T_I8,
  T_I16,
  T_I32,
  T_I64,
  T_U8,
  T_U16,
  T_U32,
  T_U64,
  T_FP8E4NV,
  T_FP8E5,
  T_FP16,
  T_BF16,
  T_FP32,
  T_FP64,
  T_COUNT
} ElemType;

typedef struct ElemTypeInfo {
  const char *name;
  int bytes;
  Kind kind;
} ElemTypeInfo;

extern const ElemTypeInfo elem_types[T_COUNT];

enum { MAX_RANK = 5, MAX_VALUES = 400, MAX_ELEMENTS = 4096 };

typedef struct Shape {
  int rank; // 0: a scalar
  int size[MAX_RANK];
} Shape;

typedef struct Value {
  int name; // v<name>
  ElemType type;
  Shape shape;
  bool used;
} Value;

typedef struct Gen {
  uint64_t state; // of the random numbers
  uint64_t classes;
  uint32_t focus; // a statement that is written more often
  Buf functions, body, params, args;
  int indent; // levels
  int blocks; // loops and branches around the statement
  Value values[MAX_VALUES];
  int value_count;
  int next;     // number of the next name
  int programs; // of the grid
  bool two_dimensions;
  int warps;
  bool any_size; // sizes of tiles are any, else powers of two
  Shape base;            // what most tiles of the program look like
  const char *loop_name; // the innermost loop's counter, from 0 below loop_trips; NULL: none
  int loop_trips;
  int stores;
} Gen;

uint32_t pick(Gen *g, uint32_t n); // below n
bool chance(Gen *g, uint32_t percent);
bool has(const Gen *g, Class class);

void line(Gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- shapes and types ----

int shape_elements(const Shape *shape);
bool shape_same(const Shape *a, const Shape *b);
bool shape_broadcasts(const Shape *from, const Shape *to); // as NumPy does
Shape shape_random(Gen *g);
// The power of two. With any sizes: some number up to it and above its half.
int size_near(Gen *g, int power);
void shape_text(const Shape *shape, Buf *out);   // "[4, 16]"
ElemType type_random(Gen *g);                    // any that the classes allow
ElemType type_arithmetic(Gen *g, ElemType near); // near where arithmetic is done in it, else another

// ---- values ----

Value value_new(Gen *g, ElemType type, Shape shape);
Value value_any(Gen *g);  // there is always one
Value value_tile(Gen *g); // of rank 1 or more
Value value_fit(Gen *g, ElemType type,
                Shape shape); // of exactly this type and shape; makes one where need be
Value value_cast(Gen *g, Value v, ElemType type);
// The value, changed so that results depend neither on a sum's order nor on the hardware's choice
// of a NaN's bits. There are no NaNs. Neither sums nor multiplications of `terms` of its floats overflow.
Value value_summand(Gen *g, Value v, int terms);
Value value_factor(Gen *g, Value v, int terms);
Value value_number(Gen *g, Value v);
void literal(Gen *g, ElemType type, Buf *out); // a number of the type

// ---- memory ----

// A new buffer parameter; returns its number, of name x<number>.
int buffer_new(Gen *g, ElemType type, int64_t elements, bool output);
int buffer_aligned(Gen *g, ElemType type, int64_t elements, bool output); // to 16 bytes
int scalar_param(Gen *g, int64_t value); // n<number>: i32
void bound(Gen *g, int64_t value, Buf *text); // the number, or a parameter of its value
Value load_new(Gen *g, ElemType type, Shape shape);
void store_value(Gen *g, Value v);
void statement_in_place(Gen *g);
void statement_block_pointer(Gen *g);
void statement_descriptor(Gen *g);
void statement_atomic(Gen *g);
void statement_in_place_loop(Gen *g);
void statement_lock(Gen *g);

// ---- statements ----

void statement(Gen *g); // one, chosen among those whose class is there
void statement_binary(Gen *g);
void statement_unary(Gen *g);
void statement_where(Gen *g);
void statement_cast(Gen *g);
void statement_call(Gen *g);
void statement_mixed(Gen *g);
void statement_literal(Gen *g);
void statement_special(Gen *g);
void statement_signs(Gen *g);
void statement_division(Gen *g);
void statement_shape(Gen *g);
void statement_join(Gen *g);
void statement_loop(Gen *g);
void statement_while(Gen *g);
void statement_branch(Gen *g);
void statement_pointer_loop(Gen *g);
void statement_ragged_loop(Gen *g);
void statement_reduce(Gen *g);
void statement_scan(Gen *g);
void statement_gather(Gen *g);
void statement_flip(Gen *g);
void statement_sort(Gen *g);
void statement_histogram(Gen *g);
void statement_dot(Gen *g);
void statement_map(Gen *g);
void statement_random(Gen *g);

#endif
