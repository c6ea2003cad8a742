// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/colors.h"
#include "base/plain.h"
#include "ir/text/print.h"
#include "runtime/compile/imports.h"

enum { MESSAGE_BYTES = 16384 };

// Colours on standard error. Global, like the stream, because errors are also reported where no options are
// available.
static bool error_colors;

bool tool_colors(ColorWhen when, int fd) {
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  if (when != COLOR_AUTO) return when == COLOR_ALWAYS;
  return !(no_color && no_color[0]) && term && term[0] && strcmp(term, "dumb") != 0 && isatty(fd);
}

void tool_set_colors(ColorWhen when) { error_colors = tool_colors(when, STDERR_FILENO); }

// Receives the messages. NULL: standard error.
static Buf *collected;

void tool_collect(Buf *messages) { collected = messages; }

static void put(const char *text, size_t n) {
  if (collected)
    buf_bytes(collected, text, n);
  else
    fwrite(text, 1, n, stderr);
}

// Allocates nothing on the way to standard error, because it also reports that memory is exhausted.
static void print_plain(const char *text) {
  char plain[MESSAGE_BYTES];
  plain_copy(str_from(text), plain, sizeof plain);
  put(plain, strlen(plain));
}

void tool_print_severity(const char *severity, const char *color) {
  char text[96];
  int n = error_colors ? snprintf(text, sizeof text, COLOR_BOLD "tilec: %s%s: " COLOR_RESET, color, severity)
                       : snprintf(text, sizeof text, "tilec: %s: ", severity);
  put(text, (size_t)n);
}

ExitStatus tool_error(const char *format, ...) {
  char text[MESSAGE_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  char severity[32] = "error", code[DIAG_CODE_SIZE];
  if (diag_take_code(text, code)) snprintf(severity, sizeof severity, "error[%s]", code);
  tool_print_severity(severity, COLOR_ERROR);
  print_plain(text);
  put("\n", 1);
  return EXIT_DIAGNOSED;
}

// A cubin or a program (ELF), or a fatbin.
static bool is_machine_code(Str text) {
  return str_starts(text, "\x7f"
                          "ELF") ||
         str_starts(text, "\x50\xed\x55\xba");
}

tilec_status tool_parse(Compilation *c, const char *path, Str text) {
  if (is_machine_code(text)) {
    sources_add(&c->sources, tool_source_name(path), (Str){0});
    Loc loc = {.line = 1, .col = 1, .file = sources_named(&c->sources, tool_source_name(path))};
    diag_error(&c->diags, loc,
               "[T1006] this is machine code, which only a GPU runs: give PTX, of 'nvcc -ptx -lineinfo' or "
               "'cuobjdump "
               "-ptx'");
    return TILEC_ERROR_COMPILE;
  }
  if (strcmp(path, "-") != 0) c->reader = (ImportReader){import_read_file, NULL, true};
  return compile_parse(c, tool_place(&c->arena, path), text);
}

ExitStatus tool_report(const Options *options, Compilation *c, tilec_status status) {
  Buf text = {0};
  c->diags.colors = error_colors;
  if (options->json_diagnostics)
    diags_print_json(&c->diags, options->remarks, &text);
  else
    diags_print_text(&c->diags, options->remarks, &text);
  put(buf_view(&text).at, text.n);
  buf_free(&text);
  if (c->fault[0]) tool_error("%s", c->fault);
  if (status == TILEC_ERROR_INTERNAL) return EXIT_OUR_BUG;
  return status == TILEC_OK ? EXIT_DONE : EXIT_DIAGNOSED;
}

tilec_status tool_spec(const Options *options, Compilation *c, Spec *spec) {
  *spec = (Spec){.kernel = options->kernel ? ir_name(&c->ir, str_from(options->kernel)) : NULL,
                 .target = options->target,
                 .arch_given = options->arch_given,
                 .num_warps_given = options->num_warps_given,
                 .num_stages_given = options->num_stages_given,
                 .maxnreg_given = options->maxnreg_given,
                 .fp32_dot_given = options->fp32_dot_given};
  tilec_status status = options->signature ? compile_signature(c, options->signature, spec) : TILEC_OK;
  for (uint32_t i = 0; status == TILEC_OK && i < options->defines.n; i++)
    status = compile_define(c, options->defines.at[i], spec);
  return status;
}

static void keep_text(PassReport *state, const char *pass, IrModule *module) {
  PassTextList *texts = state->texts;
  Buf text = {0};
  module_print(module, NULL, &text);
  Str now = buf_view(&text);
  if (!texts->n || !str_eq(texts->at[texts->n - 1].text, now))
    vec_push(state->arena, texts,
             ((PassText){pass ? pass : "elaborate", {arena_copy(state->arena, now), now.n}}));
  buf_free(&text);
}

// Whether --print-after names the pass, and which one that is.
static bool asks_for(const Options *o, const char *pass, uint32_t *which) {
  for (*which = 0; *which < o->printed_passes.n; ++*which)
    if (strcmp(o->printed_passes.at[*which], pass) == 0) return true;
  return false;
}

static void after_pass(const char *pass, IrModule *module, bool changed, double seconds, void *data) {
  PassReport *state = data;
  const Options *o = state->options;
  if (state->texts) keep_text(state, pass, module);
  if (o->time_passes && pass) buf_printf(&state->text, "%10.3f ms  %s\n", seconds * 1e3, pass);
  state->began = true;
  if (!pass) pass = "elaborate";
  uint32_t all, which;
  bool each = asks_for(o, "all", &all), named = asks_for(o, pass, &which);
  if (each) state->printed |= UINT64_C(1) << all;
  if (named) state->printed |= UINT64_C(1) << which;
  if (!each && !named) return;
  buf_printf(&state->text, "// after %s%s\n", pass, changed ? "" : ": as before");
  if (changed || named) module_print(module, &(PrintOptions){.no_locs = o->no_locations}, &state->text);
}

PassRunOptions tool_passes(const Options *options, PassReport *state) {
  *state = (PassReport){.options = options};
  return (PassRunOptions){.disabled = options->disabled_passes.at,
                          .disabled_count = options->disabled_passes.n,
                          .only = options->run_passes.at,
                          .only_count = options->run_passes.n,
                          .stop_after = options->stop_after,
                          .stop_run = options->stop_run,
                          .verify_each = options->verify_each,
                          .after = after_pass,
                          .data = state};
}

void tool_passes_end(PassReport *state) {
  const Options *o = state->options;
  for (uint32_t i = 0; state->began && i < o->printed_passes.n; i++)
    if (!(state->printed >> i & 1))
      buf_printf(&state->text,
                 "// after %s: it did not run. It was switched off, or its condition in docs/passes.md does "
                 "not hold\n",
                 o->printed_passes.at[i]);
  if (state->text.n) fwrite(state->text.at, 1, state->text.n, stderr);
  buf_free(&state->text);
}
