// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places in memory as the user knows them: the argument's name and the element, "x[400] of 400", and what to do
// about an access that is wrong there. The evaluator and the simulator's reports say it in the same words.
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
  uint32_t rank; // of the shape; 0: not known
  uint64_t shape[BUFFER_MAX_RANK];
} BufferName;

// The parameter that a pointer, or a tile or block of pointers, comes from: its number. -1: it hangs on a choice,
// or was loaded.
int32_t pointer_param(const Value *pointer);

// The buffer that a pointer given as argument points into, one past its end included; NULL: none.
const BufferName *buffer_pointed(const BufferName *names, uint32_t count, uint64_t pointer);
// The buffer that is nearest to the address; NULL: there is none, or none within 2^40 bytes.
const BufferName *buffer_near(const BufferName *names, uint32_t count, uint64_t address);
// The buffer that an access out of bounds was meant for, by a hint that may be wrong (NULL: none): the hinted one,
// unless the address lies in or right beside another; else the nearest.
const BufferName *buffer_meant(const BufferName *names, uint32_t count, const BufferName *hint, uint64_t address);

// The element that the address lies in; before the buffer it is negative.
int64_t buffer_index(const BufferName *buffer, uint64_t address);
// The indices in the buffer's shape, BUFFER_MAX_RANK at most: how many; 0 where the element has none.
uint32_t buffer_indices(const BufferName *buffer, uint64_t address, int64_t *indices);
// "x[400] of 400", and of a buffer of several dimensions "x[400] of 400, x[2,0] of [2,200]".
void buffer_place(const BufferName *buffer, uint64_t address, Buf *out);

// One element's access, of the lowest of those that are wrong.
typedef struct AccessFacts {
  const char *what;         // "load"
  const BufferName *buffer; // that it was meant for, or the nearest one; NULL: there is none
  uint64_t address;
  uint32_t bytes; // of an element, as the pointer's type has it; 0: not known
  bool masked;
} AccessFacts;

// What is wrong ("load out of bounds: x[400] of 400"), and what to do about it.
void say_out_of_bounds(const AccessFacts *access, Buf *message, Buf *advice);
void say_misaligned(const AccessFacts *access, Buf *message, Buf *advice);

// Two accesses to one place that nothing orders; the second is the one that is reported.
// What a race's two accesses are to each other.
typedef enum RaceSides {
  RACE_OF_OPS,      // two places
  RACE_OF_LINE,     // two places of one line
  RACE_OF_CALLS,    // one place, in two calls
  RACE_OF_OP,       // one op: two elements, or two iterations
  RACE_OF_ELEMENTS, // one op: two elements of one tile
  RACE_OF_RUNS,     // one op, in two iterations
} RaceSides;
RaceSides race_sides(Loc loc, Loc other); // up to RACE_OF_OP

typedef struct RaceFacts {
  const BufferName *buffer; // NULL: not known
  uint64_t address;
  const char *what, *other;                // "store", "load"
  const uint32_t *program, *other_program; // three numbers each
  RaceSides sides;
} RaceFacts;

// "data race on x[5] of 400: nothing orders this store and the load, in program (0, 0, 0)"
void say_race(const RaceFacts *race, Buf *message);

// What would order two accesses that race.
typedef enum RaceKind {
  RACE_LANES,    // elements of one store
  RACE_RUNS,     // one store, in two iterations
  RACE_OP,       // one store, in one iteration or two
  RACE_THREADS,  // of one program
  RACE_PROGRAMS, // of two programs, both writing
  RACE_READER,   // of two programs, one reading
  RACE_ATOMIC,   // of two programs, one by an atomic
} RaceKind;
const char *race_advice(RaceKind kind);
// Of two accesses of one program.
RaceKind race_within(RaceSides sides);

#endif
