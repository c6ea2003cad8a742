// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file of the parent's with a name that tilec has too.
#error "tilec includes the parent's base/vec.h"
