# The help of an option, by any of its spellings.
t 'tilec help --num-stages'
t 'tilec help num_stages'
t 'tilec help -o'
t 'tilec help no_such'
t 'tilec help --maxrregcount | head -n 1' # nvcc's
t 'tilec help --no-such'
