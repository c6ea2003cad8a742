# Elements of buffers after a run.
t 'tilec run add.tile --device sim x=arange:fp32[23] y=ones:fp32[23] out=empty:fp32[23] n=23 --print out'
t 'tilec run add.tile --device eval x=arange:fp32[23] "y=full(-1.5):fp32[23]" out=empty:fp32[23] n=23 --print "out[3:5]" --print "out[21:]" --print "out[:2]" --print "out[7]" --print "x[4:4]"'
# Rows of a matrix, integers, and a buffer that is larger than what is printed.
t 'tilec run add.tile --device eval x=arange:i32[2,3,4] y=ones:i32[24] out=empty:i32[2,3,4] n=24 --print out --print "out[10:15]"'
t 'tilec run add.tile --device eval x=arange:i32[1200] y=ones:i32[1200] out=empty:i32[1200] n=1200 --print out | tail -n 3'
t 'tilec run add.tile --device eval x=arange:i32[1200] y=ones:i32[1200] out=empty:i32[1200] n=1200 --print out | sed -n 3p'
t 'tilec run add.tile --device eval x=arange:i32[1200] y=ones:i32[1200] out=empty:i32[1200] n=1200 --print "out[:]" | tail -n 1'
# The items of a tuple have names in brackets.
printf '@kernel\ndef k(t, n):\n    store(t[1], load(t[0]) + n)\n' >k.tile
t 'tilec run k.tile --device eval --grid 1 "t=(full(7):i32[1],zeros:i32[2])" n=1 --print "t[1]" --print "t[1][0:1]"'
# No such buffer, no such range; nothing is launched.
for what in z 'out[0:24]' 'out[24]' 'out[5:4]' 'out[a]' 'out[]' 'out[1' 'n' 'z[0:2]'; do
  t "tilec run add.tile --device eval x=arange:fp32[23] y=ones:fp32[23] out=empty:fp32[23] n=23 --print '$what'"
done
t 'tilec check add.tile x=arange:fp32[23] y=ones:fp32[23] out=empty:fp32[23] n=23 --print out'
t 'tilec bench add.tile x=arange:fp32[23] y=ones:fp32[23] out=empty:fp32[23] n=23 --print out'
