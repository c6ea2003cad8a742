# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For the group install: the programs of docs/install.md print what the page says, with the installed copy. A block's first line
# names its file; blocks of `sh` are run.
#   programs.sh FOLDER    what has to be known of where tilec is comes from the environment
set -eu
page=$PWD/docs/install.md
mkdir -p "$1"
cd "$1"
awk '/^# examples\/add.tile$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$page" >add.tile
for section in 'From C' 'From CMake' 'From make'; do
  awk -v title="## $section" '/^## / { inside = $0 == title } inside' "$page" >section
  [ "$(wc -l <section)" -lt 40 ] || { echo "'$section' has $(wc -l <section) lines"; exit 1; }
  awk '/^```sh$/ { sh = 1; next } /^```$/ { sh = 0; close(file); file = ""; next } /^```/ { named = 1; next }
       named { file = $2; named = 0 } file { print > file } sh { print > "commands" }' section
  rm -f hello
  rm -rf build
  sh -eux commands >output 2>&1 || { cat output; exit 1; }
  rm commands
  grep -q '^999 + 1 = 1000 on ' output || { cat output; exit 1; }
  echo "$section: $(tail -n 1 output)"
done
