# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What zsh shows when Tab is pressed after the text: an interactive zsh on a terminal of its own.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PROMPT=; autoload -Uz compinit; compinit -u; zstyle ":completion:*" list-prompt ""; setopt auto_list; bindkey "^I" complete-word'
sleep 2
zpty -w -n shell "$1"$'\t\t'
sleep 2
while zpty -r -t shell line; do print -rn -- "$line"; done
zpty -d shell
