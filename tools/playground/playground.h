// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function that the playground's page calls. It runs a kernel on the reference evaluator and shows what the
// passes make of it, without LLVM and without files.
#ifndef TOOLS_PLAYGROUND_PLAYGROUND_H
#define TOOLS_PLAYGROUND_PLAYGROUND_H

// name: "kernel.py" or "kernel.tile", which selects the language. words: what follows `tilec run NAME`, one word a
// line: "x=randn:fp32[1000]\n--grid\n4". Options of a device, and files, are refused. A run ends after 10 seconds, or
// as --timeout says.
//
// Returns one JSON object, which the caller frees with free(). Its members are:
//
// * status. "done"; "diagnosed": the launch has errors, or there was none; "failed": the tool itself failed.
// * text. The messages as `tilec run` prints them. If the tool failed, no other member follows.
// * diagnostics. As diags_print_json writes them, with remarks.
// * kernel, grid, printed. Once the grid is known. printed: the kernel's own output.
// * buffers. Once the run was begun. Each has name, type, shape, elements and changed; min, max, mean and nans; the
//   first values as text. A buffer of `empty:` also has unwritten, the number of its elements that were not written.
// * passes. Name and tile IR after each pass that changed it. The first is "elaborate".
// * seconds. The times of parse, run and passes.
char *playground_run(const char *name, const char *source, const char *words);

#endif
