// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a command line lacks, told all at once: which kernel of several.
#include "tools/run.h"

// "x: *fp32, n, BLOCK: constexpr = 128"
static void print_signature(const KernelInfo *kernel, Buf *out) {
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    const KernelParam *p = &kernel->params[i];
    buf_printf(out, "%s%s", i ? ", " : "", p->name);
    if (p->is_constexpr) buf_text(out, ": constexpr");
    if (p->type) buf_text(out, ": ");
    if (p->type) type_print(p->type, out);
    if (p->has_default) buf_text(out, " = ");
    if (p->has_default) const_print(&p->default_value, out);
  }
}

void run_list_kernels(Run *run, const KernelInfo *kernels, uint32_t count) {
  Diags *diags = &run->c->diags;
  Diag *error = diag_error(diags, LOC_NONE, "the file has %u kernels; say which with --kernel", count);
  for (uint32_t i = 0; i < count; i++) {
    Buf text = {0};
    print_signature(&kernels[i], &text);
    diag_note(diags, error, kernels[i].loc, "--kernel %s: %s", kernels[i].path, text.n ? text.at : "no parameters");
    buf_free(&text);
  }
  tool_report(run->options, run->c, TILEC_ERROR_COMPILE);
}
