// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/pass_gate.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/OptBisect.h>

// Measured over the kernels of scripts/compile-list, beside the same with all passes: nary-reassociate and the two
// early-cse before loop strength reduction change no PTX (the third, after it, does), and loads are vectors before
// LLVM sees them. Straight-line strength reduction (slsr) saves up to a twentieth of the instructions where strides
// are run-time numbers; where indices come of quotients its scalar evolution takes a third to three quarters of the
// code generation, for five instructions of a thousand.
struct PassGate : llvm::OptPassGate {
  bool divides;
  mutable bool after_loops = false;

  explicit PassGate(bool divides) : divides(divides) {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef name, llvm::StringRef) const override {
    if (name == "separate-const-offset-from-gep") after_loops = false; // the first of a function
    if (name == "Loop Strength Reduction") after_loops = true;
    if (name == "early-cse") return after_loops;
    if (name == "slsr") return !divides;
    return name != "nary-reassociate" && name != "load-store-vectorizer";
  }
};

PassGate *pass_gate_new(LLVMContextRef context, bool divides) {
  PassGate *gate = new PassGate(divides);
  llvm::unwrap(context)->setOptPassGate(*gate);
  return gate;
}

void pass_gate_free(PassGate *gate) { delete gate; }
