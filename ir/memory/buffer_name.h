// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory locations in the user's terms: the argument's name and the element, "x[400] of 400", and advice for
// a wrong access. The evaluator and the simulator use the same words.
#ifndef IR_MEMORY_BUFFER_NAME_H
#define IR_MEMORY_BUFFER_NAME_H

#include "base/buf.h"
#include "ir/ir.h"

enum { BUFFER_MAX_RANK = 8 };

// The buffer that an argument points into.
typedef struct BufferName {
  const char *name;
  uint64_t address, bytes; // of the whole buffer
  Elem elem;
  uint32_t rank; // of the shape; 0: unknown
  uint64_t shape[BUFFER_MAX_RANK];
} BufferName;

// The number of the parameter that a pointer is an offset from; for a tile or block, that of all its pointers.
// -1: there may be several. Or the pointer was loaded, or made from integers.
int32_t pointer_param(const Value *pointer);

// The buffer of a pointer argument, one past its end included; NULL: none.
const BufferName *buffer_pointed(const BufferName *names, uint32_t count, uint64_t pointer);
// The nearest buffer to the address; NULL: none within 2^40 bytes.
const BufferName *buffer_near(const BufferName *names, uint32_t count, uint64_t address);
// The intended buffer of an access out of bounds: the hinted one, unless the address is in or adjacent to
// another one. The hint may be wrong. Without a hint (NULL), the nearest.
const BufferName *buffer_meant(const BufferName *names, uint32_t count, const BufferName *hint,
                               uint64_t address);

// The element at the address; negative before the buffer.
int64_t buffer_index(const BufferName *buffer, uint64_t address);
// The indices in the buffer's shape. Returns their number, at most BUFFER_MAX_RANK; 0 if the element has
// none.
uint32_t buffer_indices(const BufferName *buffer, uint64_t address, int64_t *indices);
// "x[400] of 400"; with several dimensions "x[400] of 400, x[2,0] of [2,200]".
void buffer_place(const BufferName *buffer, uint64_t address, Buf *out);

// A wrong access, for the lowest wrong element.
typedef struct AccessFacts {
  const char *what;  // "load"
  const char *stray; // The argument that the address comes from, if it points to no buffer. NULL: none.
  const BufferName *buffer; // The intended or nearest buffer; NULL: none.
  uint64_t address;
  uint32_t bytes; // Size of an element of the pointer's type; 0: unknown.
  bool masked;
} AccessFacts;

// The error ("load out of bounds: x[400] of 400") and advice.
void say_out_of_bounds(const AccessFacts *access, Buf *message, Buf *advice);
void say_misaligned(const AccessFacts *access, Buf *message, Buf *advice);

// The relation between the two accesses of a race. Nothing orders them; the second one is reported.
typedef enum RaceSides {
  RACE_OF_OPS,      // Two places in the source.
  RACE_OF_LINE,     // Two places on one line.
  RACE_OF_CALLS,    // One place, in two calls.
  RACE_OF_OP,       // One op: two elements, or two iterations.
  RACE_OF_ELEMENTS, // One op: two elements of one tile.
  RACE_OF_RUNS,     // One op, in two iterations.
} RaceSides;
RaceSides race_sides(Loc loc, Loc other); // up to RACE_OF_OP

typedef struct RaceFacts {
  const char *element;      // of `program`'s access: ", element 0"; NULL or "": unknown
  const BufferName *buffer; // NULL: unknown
  uint64_t address;
  const char *what, *other;                // "store", "load"
  const uint32_t *program, *other_program; // three numbers each
  uint32_t device, other_device;
  RaceSides sides;
} RaceFacts;

// "data race on x[5] of 400: nothing orders this store and the load, in program (0, 0, 0)"
void say_race(const RaceFacts *race, Buf *message);

// The kind of race decides the advice.
typedef enum RaceKind {
  RACE_LANES,    // Elements of one store.
  RACE_RUNS,     // One store, in two iterations.
  RACE_OP,       // One store, in one iteration or two.
  RACE_THREADS,  // Between threads of one program.
  RACE_UPDATE,   // The same, where the load is above the store: perhaps a lost update.
  RACE_PROGRAMS, // Between two programs, both writing.
  RACE_READER,   // Between two programs, one reading.
  RACE_ATOMIC,   // Between two programs, one atomic.
  RACE_WEAK,     // Between two programs, in a kernel whose atomics might have to order them.
  RACE_DEVICES,  // Between programs of two devices.
} RaceKind;
const char *race_advice(RaceKind kind);
// True if the text is an advice of race_advice. *within: it is for a race within a program.
bool race_is_advice(const char *text, bool *within);
// Follows the advice for a race between programs that is one between threads of a program too.
#define RACE_ALSO_WITHIN  ". Threads of one program race too; tl.debug_barrier() orders only those"
// Follows the advice for a race within a program that is one between programs too.
#define RACE_ALSO_BETWEEN ". Programs race here too, and no barrier orders them"
// For two accesses of one program: load_first if they are a load and a store, and the load is first in the source.
RaceKind race_within(RaceSides sides, bool load_first);
// True if `a` is evaluated before `b`, as far as their places in one file show.
bool race_comes_before(Loc a, Loc b);

#endif
