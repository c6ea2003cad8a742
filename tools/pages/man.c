// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes tilec.1 with the man macros.
#include <ctype.h>

#include "runtime/tilec.h"
#include "tools/pages/pages.h"

// Escapes text: backslashes, characters that begin a request, and hyphens that users type.
static void text(Buf *out, const char *from) {
  if (*from == '.' || *from == '\'') buf_text(out, "\\&");
  for (; *from; from++) {
    if (*from == '\\')
      buf_text(out, "\\e");
    else if (*from == '-')
      buf_text(out, "\\-");
    else if (*from == '\'')
      buf_text(out, "\\(aq");
    else if (*from == '^')
      buf_text(out, "\\(ha");
    else if (*from == '~')
      buf_text(out, "\\(ti");
    else
      buf_char(out, *from);
    if (*from == '\n' && (from[1] == '.' || from[1] == '\'')) buf_text(out, "\\&");
  }
}

static void paragraph(Buf *out, const char *from) {
  buf_text(out, ".PP\n");
  text(out, from);
  buf_char(out, '\n');
}

static void tagged(Buf *out, const char *bold, const char *from) {
  buf_text(out, ".TP\n.B ");
  text(out, bold);
  buf_char(out, '\n');
  text(out, from);
  buf_char(out, '\n');
}

// A value's name: letters in italics, other characters as typed.
static void value_name(Buf *out, const char *name) {
  bool italic = false;
  for (; *name; name++) {
    bool letter = isalpha((unsigned char)*name) != 0;
    if (letter != italic) buf_text(out, letter ? "\\fI" : "\\fR");
    italic = letter;
    char one[] = {*name, '\0'};
    text(out, one);
  }
  if (italic) buf_text(out, "\\fR");
}

static void option(Buf *out, const PageOption *o) {
  bool both = o->name[0] && o->short_name[0];
  buf_text(out, ".TP\n\\fB");
  text(out, o->short_name);
  if (both) buf_text(out, "\\fR, \\fB");
  text(out, o->name);
  buf_text(out, "\\fR");
  if (o->value[0] == '[')
    buf_text(out, "[=");
  else if (o->value[0])
    buf_text(out, o->name[0] ? "=" : " ");
  value_name(out, o->value + (o->value[0] == '['));
  buf_char(out, '\n');
  text(out, o->help);
  const char *choices = page_choices(o);
  if (*choices && strcmp(o->value, "SM") == 0) {
    buf_text(out, " (");
    text(out, choices);
    buf_char(out, ')');
  }
  buf_char(out, '\n');
}

// "Of run, check and bench"
static void title(Buf *out, const PageOption *o) {
  size_t count, left = 0, all;
  const PageVerb *verbs = page_verbs(&count);
  for (size_t i = 0; i < count; i++) left += page_takes(&verbs[i], o);
  all = left;
  buf_text(out, ".SS Of");
  for (size_t i = 0; i < count && all < count; i++) {
    if (!page_takes(&verbs[i], o)) continue;
    left--;
    buf_printf(out, " %s%s", verbs[i].name, left > 1 ? "," : left == 1 ? " and" : "");
  }
  buf_text(out, all == count ? " every command\n" : "\n");
}

// Grouped by the commands that take them. Options of most commands come first.
static void options(Buf *out) {
  size_t count;
  const PageOption *list = page_options(&count);
  buf_text(out, ".SH OPTIONS\n");
  for (size_t letters = 8; letters > 0; letters--)
    for (size_t i = 0; i < count; i++) {
      bool first = strlen(list[i].commands) == letters;
      for (size_t j = 0; j < i; j++) first = first && strcmp(list[j].commands, list[i].commands) != 0;
      if (first) title(out, &list[i]);
      for (size_t j = i; first && j < count; j++)
        if (strcmp(list[j].commands, list[i].commands) == 0) option(out, &list[j]);
    }
}

static void synopsis(Buf *out) {
  size_t count;
  const PageVerb *verbs = page_verbs(&count);
  buf_text(out, ".SH SYNOPSIS\n");
  for (size_t i = 0; i < count; i++) {
    buf_printf(out, "%s.B tilec %s\n", i ? ".br\n" : "", verbs[i].name);
    value_name(out, verbs[i].arguments);
    buf_char(out, '\n');
  }
}

static void commands(Buf *out) {
  size_t count;
  const PageVerb *verbs = page_verbs(&count);
  buf_text(out, ".SH COMMANDS\n");
  for (size_t i = 0; i < count; i++) tagged(out, verbs[i].name, verbs[i].summary);
}

static void arguments(Buf *out) {
  static const char *const specs[][2] = {
#define X(form, meaning) {form, meaning},
#include "tools/options/specs.def"
#undef X
  };
  buf_text(out, ".SH ARGUMENTS\n");
  paragraph(out,
            "run, check and bench take a value for each parameter of the kernel, NAME=SPEC; SPEC is one of");
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) tagged(out, specs[i][0], specs[i][1]);
  paragraph(out, "A buffer may end in +BYTES: the argument then points that many bytes into it.");
}

static void examples(Buf *out) {
  static const struct {
    const char *command, *words, *meaning;
  } list[] = {
#define X(command, words, meaning) {#command, words, meaning},
#include "tools/options/examples.def"
#undef X
  };
  buf_text(out, ".SH EXAMPLES\n");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    bool compile = strcmp(list[i].command, "compile") == 0;
    buf_text(out, ".TP\n.B tilec ");
    text(out, compile ? "" : list[i].command);
    buf_text(out, compile ? "" : " ");
    text(out, list[i].words);
    buf_char(out, '\n');
    text(out, list[i].meaning);
    buf_char(out, '\n');
  }
}

static void ending(Buf *out) {
  buf_text(out, ".SH EXIT STATUS\n");
  tagged(out, "0", "done");
  tagged(out, "1", "a diagnosed error, or a check that failed");
  tagged(out, "2", "wrong usage");
  tagged(out, "70", "a bug in tilec; the message names a file that reproduces it");
  buf_text(out, ".SH ENVIRONMENT\n");
  tagged(out, "TILEC_CACHE", "off: compiled kernels are not kept on disk");
  tagged(out, "TILEC_CACHE_DIR",
         "the folder of compiled kernels (default: $XDG_CACHE_HOME/tilec, or ~/.cache/tilec)");
  tagged(out, "TILEC_CACHE_SIZE",
         "largest size of that folder: bytes, or with K, M, G or T (1G); 0: no limit");
  tagged(out, "NO_COLOR", "if not empty, only --color=always colours messages");
  tagged(out, "TMPDIR", "folder of temporary files, and of the file that reproduces a bug (/tmp)");
  examples(out);
  buf_text(out, ".SH SEE ALSO\n");
  text(out, "The library: tilec/tilec.h, pkg-config tilec, find_package(tilec).\n");
}

void page_man(Buf *out) {
  buf_printf(out, ".TH TILEC 1 \"\" \"tilec %d.%d.%d\" \"User Commands\"\n", TILEC_VERSION_MAJOR,
             TILEC_VERSION_MINOR, TILEC_VERSION_PATCH);
  buf_text(out, ".SH NAME\ntilec \\- compiles Triton-like tile kernels to PTX, and runs and checks them\n");
  synopsis(out);
  buf_text(out, ".SH DESCRIPTION\n");
  text(out,
       "tilec compiles kernels that are written as in Triton to PTX for NVIDIA GPUs. FILE is a .tile file, a "
       ".py file with functions under @triton.jit, tile IR (.tir), or - for standard input. Without a GPU, "
       "kernels run on its simulator, which runs the same PTX and checks every access.\n");
  commands(out);
  options(out);
  arguments(out);
  ending(out);
}
