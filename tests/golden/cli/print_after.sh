# Tile IR after several passes, without locations. A pass that did not run is named.
t 'tilec add.tile --print-after=coalesce --print-after=hoist --locations=off -o /dev/null 2>&1 | grep "^// \| load "'
t 'tilec add.tile --print-after=all -o /dev/null 2>&1 | grep "^// " | head -2'
t 'tilec add.tile --stop-after=simplify:0'
