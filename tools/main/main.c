// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/tool.h"

int main(int argc, char **argv) { return tilec_tool_main(argc, argv); }
