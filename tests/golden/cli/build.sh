# ./dev build leaves out/, so that the README's first command has where to write. What builds is not run: a name of it stands in.
mkdir -p tree/programs
cp "$ROOT/dev" tree/
for program in cmake ninja; do printf '#!/bin/sh\n' >tree/programs/$program && chmod +x tree/programs/$program; done
t 'cd tree && PATH=$PWD/programs:$PATH ./dev build >/dev/null; ls -d out'
