# @FILE: its words in its place, quoted as gcc and LLVM read them.
printf 'run add.tile\n\t--device eval\n\n  x=ones:fp32[4]\ty=ones:fp32[4] out=empty:fp32[4] n=4' >all.txt
t 'tilec @all.txt'
printf 'x=ones:fp32[4] y=ones:fp32[4]' >inputs.txt
printf '@inputs.txt out=empty:fp32[4] n=4' >nested.txt
t 'tilec run add.tile --device eval @nested.txt --check'
# Quotes, backslashes, empty words: each word of the file gets its own error.
cp add.tile 'a b.tile'
printf -- '"a b.tile" -o '"'c d.ptx'" >quotes.txt
t 'tilec @quotes.txt && ls c*.ptx'
printf 'a\\ b.tile -o e\\"f.ptx' >backslashes.txt
t 'tilec @backslashes.txt && ls e*.ptx'
printf '\xef\xbb\xbfrun "b\\"c\\\\ '"'"'"' >mixed.txt
t 'tilec @mixed.txt'
printf "''" >empty.txt
t 'tilec add.tile @empty.txt'
: >nothing.txt
t 'tilec @nothing.txt add.tile -o x.ptx && ls x.ptx'
# Files that are not read.
t 'tilec @none.txt'
t 'tilec run add.tile @none.txt'
t 'tilec run @none.txt'
mkdir folder
t 'tilec @folder'
printf '@loop.txt' >loop.txt
t 'tilec @loop.txt'
printf '@b.txt' >a.txt
printf '@c.txt' >b.txt
printf 'add.tile @./a.txt' >c.txt
t 'tilec @a.txt'
printf 'a\0b' >binary.txt
t 'tilec @binary.txt'
for ((i = 0; i < 70; i++)); do echo "@deep$((i + 1)).txt" >deep$i.txt; done
t 'tilec @deep0.txt'
printf '@double.18 @double.18' >double.19
for ((i = 18; i > 0; i--)); do echo "@double.$((i - 1)) @double.$((i - 1))" >double.$i; done
printf 'a a a a' >double.0
t 'tilec @double.19'
# An array of NumPy's is an argument of a PTX file, and no argument file, by whatever name.
t 'tilec run add.tile --device eval @nested.txt --save x=x.npy --save y=y.data >/dev/null'
t 'tilec add.tile -o add.ptx'
t 'tilec run add.ptx --kernel add --threads 128 --grid 1 --device sim @x.npy @y.data empty:fp32[4] 4'
t 'tilec run add.ptx --kernel add --threads 128 --grid 1 --device sim @x.npy:fp32 @x.npy+0 empty:fp32[4] 4'
t 'tilec run add.ptx --kernel add --threads 128 --grid 1 --device sim @z.npy @x.npy empty:fp32[4] 4'
