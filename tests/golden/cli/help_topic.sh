# Words that are neither function nor option: statements, parts of glossary words, parameters, variables, operators.
for word in break race eviction_policy axis TILEC_CHECK HOME num_ctas; do t "tilec help $word"; done
t "tilec help // | head -n 1; tilec help % | head -n 4"
t "tilec help operatr"
