// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <unistd.h>

#include "base/colors.h"
#include "base/json.h"
#include "base/plain.h"
#include "base/stack.h"
#include "runtime/cache/cache.h"
#include "tools/options/language_help.h"
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
      buf_printf(out, "%-21s%s%s%s%s%s%s\n", pass->name, pass->meaning,
                 pass->flags & OPTIONAL ? " [optional]" : "",
                 pass->flags & REASSOCIATES ? " [reassociates]" : "", pass->entry ? " [step of " : "",
                 pass->entry ? pass->entry : "", pass->entry ? "]" : "");
}

static ExitStatus print_text(void (*print)(Buf *out)) {
  Buf text = {0};
  print(&text);
  bool ok = tool_write("-", buf_view(&text));
  buf_free(&text);
  return ok ? EXIT_DONE : EXIT_DIAGNOSED;
}

static ExitStatus command_help(const Options *options) {
  Buf text = {0};
  bool colors = tool_colors(options->color, STDOUT_FILENO);
  if (options->code)
    options_print_code(options->code, colors, &text);
  else if (options->option) {
    if (options->word) options_print_meaning(options->word, colors, &text);
    options_print_option(options->option, colors, &text);
    if (options->word) {
      options_print_python_option(options->word, colors, &text);
      options_print_compiler(options->word, colors, &text);
    }
  } else if (options->function) {
    language_print_help(options->function, colors, &text);
    options_print_spec(options->function, &text);
    if (options->word) {
      options_print_python(options->word, colors, &text);
      options_print_compiler(options->word, colors, &text);
    }
  } else if (options->word)
    options_print_word(options->word, colors, &text);
  else
    options_print_help(options->topic, colors, &text);
  bool ok = tool_write("-", buf_view(&text));
  buf_free(&text);
  return ok ? EXIT_DONE : EXIT_DIAGNOSED;
}

static void print_version(Buf *out) {
  buf_printf(out, "tilec %s (LLVM %s)\n", tilec_version(), codegen_llvm_version());
}

static void print_version_json(Buf *out) {
  Json json = {.out = out};
  json_object(&json, NULL);
  json_text(&json, "tilec", tilec_version());
  json_text(&json, "llvm", codegen_llvm_version());
  json_object_end(&json);
  buf_char(out, '\n');
}

static ExitStatus run_command(const Options *options, Arena *arena) {
  switch (options->command) {
  case COMMAND_COMPILE: return command_compile(options, arena);
  case COMMAND_RUN: return command_run(options, arena);
  case COMMAND_BENCH: return command_bench(options, arena);
  case COMMAND_EXPLAIN: return command_explain(options, arena);
  case COMMAND_TUNE: return command_tune(options, arena);
  case COMMAND_CHECK: return command_check(options, arena);
  case COMMAND_CACHE: return command_cache(options, arena);
  case COMMAND_WARM: return command_warm(options, arena);
  case COMMAND_LSP: return command_lsp(options, arena);
  case COMMAND_HELP: return command_help(options);
  case COMMAND_VERSION: return print_text(options->json ? print_version_json : print_version);
  case COMMAND_LIST_PASSES: return print_text(list_passes);
  case COMMAND_LIST_TARGETS: return print_text(tool_list_targets);
  }
  return EXIT_USAGE;
}

static const char *command_name(const Options *options) {
  const Verb *verb = verb_of(options->command);
  return verb ? verb->name : options->command == COMMAND_LIST_PASSES ? "--list-passes" : "--list-targets";
}

// Reports wrong usage, and how the command is used.
static ExitStatus wrong_usage(const Options *options, const char *problem) {
  const Verb *verb = verb_of(options->command);
  if (!verb) verb = verb_of(COMMAND_COMPILE);
  bool compile = verb == verb_of(COMMAND_COMPILE), all = compile || verb == verb_of(COMMAND_HELP);
  tool_error("[T1006] %s\nusage: tilec %s %s   (tilec help%s%s)", problem, compile ? "[compile]" : verb->name,
             verb->arguments, all ? "" : " ", all ? "" : verb->name);
  return EXIT_USAGE;
}

// Warns about a problem of the cache.
static void warn(const char *text) {
  Buf line = {0};
  buf_plain(&line, str_from(text), 4096);
  tool_print_severity("warning[T1007]", COLOR_WARNING);
  fprintf(stderr, "%s\n", line.at);
  buf_free(&line);
}

// The frame catches failures outside of compile's entries: for example, out of memory while data is made.
int tilec_tool_main(int argc, char **argv) {
  Arena arena = {0};
  Options options = {.command = COMMAND_COMPILE};
  Buf error = {0};
  FaultFrame frame;
  volatile ExitStatus status = EXIT_OUR_BUG;
  files_begin();
  cache_set_log(warn);
  if (!stack_claim()) return tool_error("[T0000] out of memory (the stack)");
  fault_enter(&frame);
  if (setjmp(frame.env) != 0) {
    tool_error("[T0000] %s, in 'tilec %s'", frame.message, command_name(&options));
    status = frame.kind == FAULT_MEMORY ? EXIT_DIAGNOSED : EXIT_OUR_BUG;
  } else {
    bool good = options_parse(argc, argv, &arena, &options, &error);
    tool_set_colors(options.color);
    status = good ? run_command(&options, &arena) : wrong_usage(&options, error.at);
  }
  fault_leave(&frame);
  if (!files_end() && status == EXIT_DONE) status = EXIT_DIAGNOSED;
  buf_free(&error);
  arena_free(&arena);
  return status;
}
