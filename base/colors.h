// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ANSI escape sequences for text on a terminal, in clang's colours.
#ifndef BASE_COLORS_H
#define BASE_COLORS_H

#define COLOR_RESET   "\033[0m"
#define COLOR_BOLD    "\033[1m"
#define COLOR_ERROR   "\033[1;31m" // red
#define COLOR_WARNING "\033[1;35m" // magenta
#define COLOR_REMARK  "\033[1;34m" // blue
#define COLOR_NOTE    "\033[1;36m" // cyan
#define COLOR_CARET   "\033[1;32m" // green; fix-its too

#endif
