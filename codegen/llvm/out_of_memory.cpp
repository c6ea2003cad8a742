// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++: the handlers of std and LLVM for running out of memory.
#include "codegen/llvm/out_of_memory.h"

#include <cstdlib>
#include <cstring>
#include <llvm/Support/ErrorHandling.h>
#include <new>
#include <unistd.h>

static thread_local bool in_llvm;
static bool watches, may_exit;
static std::new_handler before;

// Returns if it is not ours to handle.
static void end_of_memory(const char *reason) {
  static const char message[] = "tilec: error: out of memory while starting\n";
  if (in_llvm) {
    in_llvm = false;
    codegen_out_of_memory(reason);
  }
  if (!may_exit) return;
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(1);
  _exit(1);
}

static void on_new_failed() {
  end_of_memory("operator new");
  if (!before) throw std::bad_alloc();
  before();
}

static void on_bad_alloc(void *, const char *reason, bool) { end_of_memory(reason); }

void llvm_watch_memory(void) {
  if (watches) return;
  watches = true;
  before = std::set_new_handler(on_new_failed);
  llvm::install_bad_alloc_error_handler(on_bad_alloc);
}

void llvm_watch_from_start(void) {
  may_exit = true;
  llvm_watch_memory();
}

void llvm_working(bool inside) { in_llvm = inside; }
