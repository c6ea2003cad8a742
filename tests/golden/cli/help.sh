# The help texts: of all commands, and of each by either spelling. Of run's and cache's only what tilec help and help compile
# have not, and how many lines they share. Of those that are like run's, the lines that it has not.
for verb in '' compile version; do t "tilec help $verb"; done
t 'tilec help help | cmp - <(tilec help)'
(tilec help; tilec help compile) >known
for verb in run cache; do t "tilec help $verb | grep -vxFf known"; t "tilec help $verb | grep -cxFf known"; done
for verb in check bench; do t "tilec help $verb | diff <(tilec help run) - | grep -v '^<'"; done
t 'tilec --help | cmp - <(tilec help) && tilec -h | cmp - <(tilec help)'
for verb in compile run check bench cache; do t "tilec $verb --help | cmp - <(tilec help $verb)"; done
t 'tilec add.tile --help | cmp - <(tilec help compile)'
t 'tilec run add.tile n=1 --help | cmp - <(tilec help run)'
for code in T1101 T0105 T9999; do t "tilec help $code"; done
t 'tilec help codes | head -n 3'
t 'tilec help codes | wc -l' # and a heading
t 'tilec help T1101 T1102'
t 'tilec run --help | grep -c -e --signature -e --emit -e --json' # compile's and cache's
