// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Completions of bash, zsh and fish.
#include "tools/options.h"
#include "tools/pages/pages.h"

static bool has_verb(const PageOption *option, const PageVerb *verb) {
  return strstr(option->commands, verb->letter) != NULL;
}

static void verb_names(Buf *out) {
  size_t count;
  const PageVerb *verbs = page_verbs(&count);
  for (size_t i = 0; i < count; i++) buf_printf(out, "%s%s", i ? " " : "", verbs[i].name);
}

// The first line of what quotes can hold: up to a ';' or ':', without what a shell reads.
static void summary(Buf *out, const char *help) {
  for (; *help && *help != ';' && *help != ':'; help++)
    if (!strchr("'\"[]\\`$", *help)) buf_char(out, *help);
  while (out->n && out->at[out->n - 1] == ' ') out->n--;
}

static void bash_words(Buf *out, const PageVerb *verb) {
  size_t count;
  const PageOption *options = page_options(&count);
  buf_printf(out, "  %s%s) words='", verb->name, verb->letter[0] == 'C' ? "|-*|*.*|*/*" : "");
  for (size_t i = 0; i < count; i++) {
    const PageOption *o = &options[i];
    if (!has_verb(o, verb)) continue;
    if (o->name[0])
      buf_printf(out, "%s%s ", o->name, o->value[0] && o->value[0] != '[' ? "=" : "");
    else
      buf_printf(out, "%s ", o->short_name);
  }
  buf_text(out, "' ;;\n");
}

// `NAME) words ;;` for the option's values.
static void bash_values(Buf *out, const PageOption *o) {
  const char *choices = page_choices(o), *bar = o->name[0] && o->short_name[0] ? "|" : "";
  if (!*choices && !page_takes_file(o)) return;
  buf_printf(out, "  %s%s%s) ", o->name, bar, o->short_name);
  if (*choices)
    buf_printf(out, "COMPREPLY=($(compgen -W '%s' -- \"$value\")); return ;;\n", choices);
  else
    buf_text(out, "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$value\")); return ;;\n");
}

void page_bash(Buf *out) {
  size_t option_count, verb_count;
  const PageOption *options = page_options(&option_count);
  const PageVerb *verbs = page_verbs(&verb_count);
  buf_text(out, "# bash completion of tilec; generated from its options\n"
                "_tilec() {\n"
                "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
                "verb=${COMP_WORDS[1]} option='' value words=''\n"
                "  COMPREPLY=()\n"
                "  # '=' breaks words: --emit = p\n"
                "  if [ \"$current\" = = ]; then option=$before value=''\n"
                "  elif [ \"$before\" = = ]; then option=${COMP_WORDS[COMP_CWORD-2]} value=$current\n"
                "  else option=$before value=$current\n"
                "  fi\n"
                "  case $option in\n");
  for (size_t i = 0; i < option_count; i++)
    if (options[i].value[0] && options[i].value[0] != '[') bash_values(out, &options[i]);
  buf_text(out, "  esac\n  case $verb in\n");
  for (size_t i = 0; i < verb_count; i++) bash_words(out, &verbs[i]);
  buf_text(out, "  esac\n");
  buf_text(out,
           "  if [ \"$COMP_CWORD\" -eq 1 ] && [[ $current != -* ]]; then\n    COMPREPLY=($(compgen -W '");
  verb_names(out);
  buf_text(out, "' -- \"$current\"))\n  elif [[ $current == -* ]]; then\n    COMPREPLY=($(compgen -W "
                "\"$words\" -- \"$current\"))\n"
                "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n    return\n  fi\n"
                "  compopt -o filenames 2>/dev/null\n  COMPREPLY+=($(compgen -d -- \"$current\") $(compgen "
                "-f -X '!*.@(tile|py|tir|ptx)' -- "
                "\"$current\"))\n}\nshopt -s extglob 2>/dev/null\ncomplete -F _tilec tilec\n");
}

static void zsh_option(Buf *out, const PageOption *o, const char *spelling) {
  const char *choices = page_choices(o);
  bool is_long = spelling[1] == '-';
  buf_printf(out, "    '*%s%s[", spelling, o->value[0] ? (is_long ? "=" : "+") : "");
  if (o->value[0] == '[') out->n--; // its value may be left out: --check, --check=FILE
  if (o->value[0] == '[') buf_text(out, "[");
  summary(out, o->help);
  buf_char(out, ']');
  if (o->value[0] && o->value[0] != '[') {
    buf_text(out, ":value:");
    if (*choices)
      buf_printf(out, "(%s)", choices);
    else if (page_takes_file(o))
      buf_text(out, "_files");
  }
  buf_text(out, "'\n");
}

void page_zsh(Buf *out) {
  size_t option_count, verb_count;
  const PageOption *options = page_options(&option_count);
  const PageVerb *verbs = page_verbs(&verb_count);
  buf_text(out, "#compdef tilec\n# zsh completion of tilec; generated from its options\n_tilec() {\n  local "
                "verb=compile\n  local -a options verbs\n  verbs=(\n");
  for (size_t i = 0; i < verb_count; i++) {
    buf_printf(out, "    '%s:", verbs[i].name);
    summary(out, verbs[i].summary);
    buf_text(out, "'\n");
  }
  buf_text(out, "  )\n  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n    _describe command verbs\n  "
                "  _files -g '*.(tile|py|tir)'\n    return\n  fi\n"
                "  case $words[2] in\n");
  for (size_t v = 0; v < verb_count; v++) {
    buf_printf(out, "  %s%s) options=(\n", v ? "" : "*.*|*/*|-*|", verbs[v].name);
    for (size_t i = 0; i < option_count; i++) {
      if (!has_verb(&options[i], &verbs[v])) continue;
      if (options[i].name[0]) zsh_option(out, &options[i], options[i].name);
      if (options[i].short_name[0]) zsh_option(out, &options[i], options[i].short_name);
    }
    buf_text(out, "    ) ;;\n");
  }
  buf_text(out, "  esac\n  _arguments -S $options '*:file:_files'\n}\n_tilec \"$@\"\n");
}

static void fish_option(Buf *out, const PageOption *o) {
  const char *choices = page_choices(o);
  bool value = o->value[0] && o->value[0] != '[';
  buf_text(out, "complete -c tilec");
  if (strcmp(o->commands, "CR") != 0)
    buf_printf(out, " -n '%s__fish_seen_subcommand_from run check bench'",
               strcmp(o->commands, "C") == 0 ? "not " : "");
  if (strncmp(o->name, "--", 2) == 0) buf_printf(out, " -l %s", o->name + 2);
  if (o->short_name[0]) buf_printf(out, " -%c %s", o->short_name[2] ? 'o' : 's', o->short_name + 1);
  if (value) buf_text(out, *choices ? " -x" : page_takes_file(o) ? " -r -F" : " -x");
  if (value && *choices) buf_printf(out, " -a '%s'", choices);
  buf_text(out, " -d '");
  summary(out, o->help);
  buf_text(out, "'\n");
}

void page_fish(Buf *out) {
  size_t count;
  const PageVerb *verbs = page_verbs(&count);
  buf_text(out, "# fish completion of tilec; generated from its options\n");
  for (size_t i = 0; i < count; i++) {
    buf_printf(out, "complete -c tilec -n __fish_use_subcommand -a %s -d '", verbs[i].name);
    summary(out, verbs[i].summary);
    buf_text(out, "'\n");
  }
  const PageOption *options = page_options(&count);
  for (size_t i = 0; i < count; i++) fish_option(out, &options[i]);
}
