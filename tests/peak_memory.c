// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// peak_memory COMMAND...: runs it, and prints the largest resident set it had, in KB.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  pid_t child = fork();
  if (child == 0) {
    execv(argv[1], argv + 1);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0 || getrusage(RUSAGE_CHILDREN, &usage) != 0)
    return 1;
  printf("%ld\n", usage.ru_maxrss);
  return 0;
}
