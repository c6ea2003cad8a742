# The version, in both spellings, for people and programs.
version='s/[0-9]+\.[0-9]+\.[0-9]+/N.N.N/g'
t 'tilec version | sed -E "$version"'
t 'tilec --version | sed -E "$version"'
t 'tilec version --json | sed -E "$version"'
t 'tilec --version --json | cmp - <(tilec version --json)'
t 'tilec version --json | python3 -c "import json, sys; print(sorted(json.load(sys.stdin)))"'
t 'tilec version add.tile'
t 'tilec version --remarks'
