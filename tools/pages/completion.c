// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shell completions for bash, zsh and fish.
#include "tools/options/options.h"
#include "tools/pages/pages.h"

static void verb_names(Buf *out) {
  size_t count;
  const PageVerb *verbs = page_verbs(&count);
  for (size_t i = 0; i < count; i++) buf_printf(out, "%s%s", i ? " " : "", verbs[i].name);
}

// The text up to a ';' or ':'. An unclosed parenthesis and shell syntax are left out.
static void summary(Buf *out, const char *help) {
  size_t open = SIZE_MAX;
  for (; *help && *help != ';' && *help != ':'; help++) {
    if (*help == '(') open = out->n;
    if (*help == ')') open = SIZE_MAX;
    if (!strchr("'\"[]\\`$", *help)) buf_char(out, *help);
  }
  if (open != SIZE_MAX) out->n = open;
  while (out->n && out->at[out->n - 1] == ' ') out->n--;
}

static void bash_words(Buf *out, const PageVerb *verb) {
  size_t count;
  const PageOption *options = page_options(&count);
  buf_printf(out, "  %s%s) words='", verb->name, verb->letter[0] == 'C' ? "|-*|*.*|*/*" : "");
  for (size_t i = 0; i < count; i++) {
    const PageOption *o = &options[i];
    if (!page_takes(verb, o)) continue;
    if (o->name[0])
      buf_printf(out, "%s%s ", o->name, o->value[0] && o->value[0] != '[' ? "=" : "");
    else
      buf_printf(out, "%s ", o->short_name);
  }
  buf_text(out, "' subs='");
  page_verb_words(out, verb);
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
                "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                "  local option value words='' subs=''\n"
                "  COMPREPLY=()\n"
                "  # '=' breaks words: --emit = p\n"
                "  if [ \"$current\" = = ]; then option=$before value=''\n"
                "  elif [ \"$before\" = = ]; then option=${COMP_WORDS[COMP_CWORD-2]} value=$current\n"
                "  else option=$before value=$current\n"
                "  fi\n"
                "  case $option in\n");
  for (size_t i = 0; i < option_count; i++)
    if (options[i].value[0] && options[i].value[0] != '[') bash_values(out, &options[i]);
  buf_text(out, "  esac\n  case ${COMP_WORDS[1]} in\n");
  for (size_t i = 0; i < verb_count; i++) bash_words(out, &verbs[i]);
  buf_text(
      out,
      "  esac\n  if [[ $current == -* ]]; then words=$words\n  elif [ \"$COMP_CWORD\" -eq 1 ]; then words='");
  verb_names(out);
  buf_text(out, "'\n"
                "  elif [ \"$COMP_CWORD\" -eq 2 ]; then words=$subs\n"
                "  else words=''\n"
                "  fi\n"
                "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                "  [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n"
                "  [[ $current != -* && -z $subs ]] || return\n"
                "  compopt -o filenames 2>/dev/null\n"
                "  COMPREPLY+=($(compgen -d -- \"$current\"))\n"
                "  COMPREPLY+=($(compgen -f -X '!*.@(tile|py|tir|ptx)' -- \"$current\"))\n"
                "}\n"
                "shopt -s extglob 2>/dev/null\n"
                "complete -F _tilec tilec\n");
}

static void zsh_option(Buf *out, const PageOption *o, const char *spelling) {
  const char *choices = page_choices(o);
  bool is_long = spelling[1] == '-';
  buf_printf(out, "    '*%s%s[", spelling, o->value[0] ? (is_long ? "=" : "+") : "");
  if (o->value[0] == '[') out->n--; // its value is optional: --check, --check=FILE
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
  buf_text(out, "#compdef tilec\n"
                "# zsh completion of tilec; generated from its options\n"
                "_tilec() {\n"
                "  local -a options verbs subs\n"
                "  verbs=(\n");
  for (size_t i = 0; i < verb_count; i++) {
    buf_printf(out, "    '%s:", verbs[i].name);
    summary(out, verbs[i].summary);
    buf_text(out, "'\n");
  }
  buf_text(out, "  )\n"
                "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
                "    _describe command verbs\n"
                "    _files -g '*.(tile|py|tir)'\n"
                "    return\n"
                "  fi\n"
                "  case $words[2] in\n");
  for (size_t v = 0; v < verb_count; v++) {
    buf_printf(out, "  %s%s) subs=(", verbs[v].letter[0] == 'C' ? "*.*|*/*|-*|" : "", verbs[v].name);
    page_verb_words(out, &verbs[v]);
    buf_text(out, ") options=(\n");
    for (size_t i = 0; i < option_count; i++) {
      if (!page_takes(&verbs[v], &options[i])) continue;
      if (options[i].name[0]) zsh_option(out, &options[i], options[i].name);
      if (options[i].short_name[0]) zsh_option(out, &options[i], options[i].short_name);
    }
    buf_text(out, "    ) ;;\n");
  }
  buf_text(out, "  esac\n"
                "  if (( $#subs )); then _arguments -S $options \"*:what:($subs)\"\n"
                "  else _arguments -S $options '*:file:_files'\n"
                "  fi\n"
                "}\n"
                "_tilec \"$@\"\n");
}

// The condition for offering the option. If compile has it, the commands without it are excluded: the word
// compile is optional.
static void fish_condition(Buf *out, const PageOption *o) {
  size_t count;
  const PageVerb *verbs = page_verbs(&count);
  bool compile = strchr(o->commands, 'C') != NULL, any = false;
  for (size_t i = 0; i < count; i++) {
    if (page_takes(&verbs[i], o) == compile) continue;
    if (!any) buf_printf(out, " -n '%s__fish_seen_subcommand_from", compile ? "not " : "");
    buf_printf(out, " %s", verbs[i].name);
    any = true;
  }
  if (any) buf_char(out, '\'');
}

static void fish_option(Buf *out, const PageOption *o) {
  const char *choices = page_choices(o);
  bool value = o->value[0] && o->value[0] != '[';
  buf_text(out, "complete -c tilec");
  fish_condition(out, o);
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
    buf_printf(out, "'\ncomplete -c tilec -n '__fish_seen_subcommand_from %s' -a '", verbs[i].name);
    page_verb_words(out, &verbs[i]);
    buf_text(out, "'\n");
  }
  const PageOption *options = page_options(&count);
  for (size_t i = 0; i < count; i++) fish_option(out, &options[i]);
}
