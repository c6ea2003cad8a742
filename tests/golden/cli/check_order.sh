# Programs that atomics order, and relaxed ones that do not. PTX that stores to shared memory that the launch lacks.
arguments='part=zeros:fp32[1536] out=zeros:fp32[512] count=zeros:i32[1]'
t "tilec check order.py --grid 4 -D SEM=\"'acq_rel'\" $arguments"
t "tilec check order.py --grid 4 -D SEM=\"'relaxed'\" $arguments"
t 'tilec check shared.ptx --kernel keep --threads 1 --grid 1'
t 'tilec check shared.ptx --kernel keep --threads 1 --grid 1 --shared 16'
