// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>

#include "base/plain.h"
#include "base/stack.h"
#include "runtime/cache.h"
#include "tools/tool.h"

static bool came_before(uint32_t place, const PassInfo *pass) {
  for (uint32_t i = 0; i < place; i++)
    if (pass_at(i) == pass) return true;
  return false;
}

static void list_passes(Buf *out) {
  const PassInfo *pass;
  for (uint32_t i = 0; (pass = pass_at(i)) != NULL; i++)
    if (came_before(i, pass))
      buf_printf(out, "%-21sonce more\n", pass->name);
    else
      buf_printf(out, "%-21s%s%s%s\n", pass->name, pass->meaning, pass->flags & OPTIONAL ? " [optional]" : "",
                 pass->flags & REASSOCIATES ? " [reassociates]" : "");
}

static ExitStatus print_text(void (*print)(Buf *out)) {
  Buf text = {0};
  print(&text);
  bool ok = tool_write("-", buf_view(&text));
  buf_free(&text);
  return ok ? EXIT_DONE : EXIT_DIAGNOSED;
}

static void print_version(Buf *out) {
  buf_printf(out, "tilec %s (LLVM %s)\n", tilec_version(), codegen_llvm_version());
}

static ExitStatus run_command(const Options *options, Arena *arena) {
  switch (options->command) {
  case COMMAND_COMPILE: return command_compile(options, arena);
  case COMMAND_RUN: return command_run(options, arena);
  case COMMAND_BENCH: return command_bench(options, arena);
  case COMMAND_CHECK: return command_check(options, arena);
  case COMMAND_CACHE: return command_cache(options, arena);
  case COMMAND_HELP: return print_text(options_print_help);
  case COMMAND_VERSION: return print_text(print_version);
  case COMMAND_LIST_PASSES: return print_text(list_passes);
  case COMMAND_LIST_TARGETS: return print_text(tool_list_targets);
  }
  return EXIT_USAGE;
}

static const char *command_name(const Options *options) {
  static const char *const names[] = {[COMMAND_COMPILE] = "compile",
                                      [COMMAND_RUN] = "run",
                                      [COMMAND_BENCH] = "bench",
                                      [COMMAND_CHECK] = "check",
                                      [COMMAND_CACHE] = "cache",
                                      [COMMAND_HELP] = "--help",
                                      [COMMAND_VERSION] = "--version",
                                      [COMMAND_LIST_PASSES] = "--list-passes",
                                      [COMMAND_LIST_TARGETS] = "--list-targets"};
  return names[options->command];
}

// What keeps the cache from serving.
static void warn(const char *text) {
  Buf line = {0};
  buf_text(&line, "tilec: warning: ");
  buf_plain(&line, str_from(text), 4096);
  fprintf(stderr, "%s\n", line.at);
  buf_free(&line);
}

// The frame catches what is outside compile's own entries: the end of memory while data are made, say.
int tilec_tool_main(int argc, char **argv) {
  Arena arena = {0};
  Options options = {.command = COMMAND_COMPILE};
  Buf error = {0};
  FaultFrame frame;
  volatile ExitStatus status = EXIT_OUR_BUG;
  files_begin();
  cache_set_log(warn);
  if (!stack_claim()) return tool_error("out of memory (the stack)");
  fault_enter(&frame);
  if (setjmp(frame.env) != 0) {
    tool_error("%s, in 'tilec %s'", frame.message, command_name(&options));
    status = frame.kind == FAULT_MEMORY ? EXIT_DIAGNOSED : EXIT_OUR_BUG;
  } else if (!options_parse(argc, argv, &arena, &options, &error)) {
    tool_error(
        "%s\nusage: tilec [compile] FILE [options]   tilec run FILE [options] NAME=SPEC...   (tilec --help)",
        error.at);
    status = EXIT_USAGE;
  } else {
    status = run_command(&options, &arena);
  }
  fault_leave(&frame);
  if (!files_end() && status == EXIT_DONE) status = EXIT_DIAGNOSED;
  buf_free(&error);
  arena_free(&arena);
  return status;
}
