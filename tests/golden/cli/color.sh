# Colours: asked for, on a terminal, and where nobody wants them.
t 'tilec --color=always wrong.tile |& coloured'
t 'tilec --color=always add.tile --remarks -o /dev/null |& sed -n 1,3p | coloured'
t 'tilec --color=always none.tile |& coloured'
t 'tilec run --color=always add.tile --device eval x=ones:fp32[2048] y=ones:fp32[2048] out=empty:fp32[2048] n=9 |& coloured'
t 'tilec --color=always wrong.tile --diagnostics=json |& grep -c "$(printf "\033")"'
t 'tilec help version --color=always |& coloured'
t 'tilec --color=sometimes add.tile'
# A pipe, as here, is no terminal.
t 'tilec wrong.tile |& coloured'
t 'tilec help version --color=auto | sed -n 1,3p | coloured'
# `terminal VARIABLE=VALUE... COMMAND` runs one there.
terminal() { python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(["env"] + sys.argv[1:])))' "$@"; }
for setting in TERM=xterm NO_COLOR=1 NO_COLOR= TERM=dumb TERM=; do t "terminal $setting \$TILEC none.tile |& coloured"; done
t 'terminal NO_COLOR=1 $TILEC none.tile --color=always |& coloured'
t 'terminal TERM=xterm $TILEC none.tile --color=never |& coloured'
t 'terminal TERM=xterm $TILEC help version | sed -n 1,3p | coloured'
