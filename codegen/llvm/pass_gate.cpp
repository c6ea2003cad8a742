// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/pass_gate.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/OptBisect.h>

// nary-reassociate, the early-cse after it and the load vectoriser change the PTX of only 10 of 1,188
// compiles (scripts/compile-list). Straight-line strength reduction (slsr) takes quadratic time in the number
// of accesses: a second for a hundred registers a thread. In LLVM 22 it also treats sext(x + c) as sext(x) +
// c when x + c may wrap.
struct PassGate : llvm::OptPassGate {
  bool optimised;
  mutable bool reassociated = false;

  explicit PassGate(bool optimised) : optimised(optimised) {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef name, llvm::StringRef) const override {
    if (name == "slsr") return false;
    if (!optimised) return true;
    bool after = reassociated;
    reassociated = name == "nary-reassociate";
    if (name == "early-cse") return !after;
    return name != "nary-reassociate" && name != "load-store-vectorizer";
  }
};

PassGate *pass_gate_new(LLVMContextRef context, bool optimised) {
  PassGate *gate = new PassGate(optimised);
  llvm::unwrap(context)->setOptPassGate(*gate);
  return gate;
}

void pass_gate_free(PassGate *gate) { delete gate; }
