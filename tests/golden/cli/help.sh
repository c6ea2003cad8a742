# The help texts: of all commands, and of each by either spelling.
for verb in '' compile run check bench cache help version; do t "tilec help $verb"; done
t 'tilec --help | cmp - <(tilec help) && tilec -h | cmp - <(tilec help)'
for verb in compile run check bench cache; do t "tilec $verb --help | cmp - <(tilec help $verb)"; done
t 'tilec add.tile --help | cmp - <(tilec help compile)'
t 'tilec run add.tile n=1 --help | cmp - <(tilec help run)'
t 'tilec run --help | grep -c -e --signature -e --emit -e --json' # compile's and cache's
