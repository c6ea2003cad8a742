# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For the group install: programs that have libtilec.so and another LLVM, or the same one, as a shared library.
others=0
for library in /usr/lib/x86_64-linux-gnu/libLLVM-[0-9][0-9].so; do
  [ -e "$library" ] || continue
  number=${library##*-} number=${number%.so}
  others=$((others + 1))
  # Its symbols come before all others of the process.
  expect "libLLVM $number preloaded" env LD_PRELOAD="$library" "$work/find_package/jit" examples/project/saxpy.tile sim
  headers=/usr/lib/llvm-$number/include
  [ -e "$headers/llvm-c/Core.h" ] || { skipped "a program with LLVM $number" "its headers are not there"; continue; }
  for order in "$library -ltilec" "-ltilec $library"; do
    # shellcheck disable=SC2086
    expect "a program with LLVM $number ($order)" gcc -std=c11 -Wall -Wextra -Werror -o "$work/another_llvm" tests/install/another_llvm.c \
      -I "$there/include" -isystem "$headers" -L "$there/lib" -Wl,-rpath,"$there/lib" $order -pthread
    expect "with LLVM $number ($order)" "$work/another_llvm" examples/project/saxpy.tile
  done
done
[ $others -gt 0 ] || skipped "another LLVM" "none is installed"
