# Halves of a warp with member masks of their own, as tiles of cooperative groups: each has its own sum, vote and lanes.
ptx() { # NAME MASK-OF-THE-LOWER-HALF
  cat <<END
.visible .entry $1(.param .u64 out) {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 16;
  selp.b32 %r2, $2, 0xffff0000, %p1;
  redux.sync.add.s32 %r3, %r1, %r2;
  vote.sync.ballot.b32 %r4, %p1, %r2;
  shfl.sync.bfly.b32 %r5, %r1, 1, 0x101f, %r2;
  shr.u32 %r6, %r4, 8;
  add.s32 %r7, %r3, %r6;
  add.s32 %r7, %r7, %r5;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r7;
  ret;
}
END
}
{
  printf '.version 7.8\n.target sm_80\n.address_size 64\n'
  ptx halves 0xffff
  ptx overlap 0xffffffff
} >masks.ptx
t "tilec check masks.ptx --kernel halves --grid 1 --threads 32 empty:i32[32]"
t "tilec run masks.ptx --device sim --kernel halves --grid 1 --threads 32 empty:i32[32] --print 0"
t "tilec check masks.ptx --kernel overlap --grid 1 --threads 32 empty:i32[32] |& grep error"
