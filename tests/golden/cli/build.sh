# ./dev build leaves out/, so that the README's first command can write there. The builder is not run: a
# script with its name replaces it.
mkdir -p tree/programs
cp "$ROOT/dev" tree/
for program in cmake ninja; do printf '#!/bin/sh\n' >tree/programs/$program && chmod +x tree/programs/$program; done
t 'cd tree && PATH=$PWD/programs:$PATH ./dev build >/dev/null; ls -d out'
