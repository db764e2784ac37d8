#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

// Where the main thread of an asynchronous program ends, libdispatch gives `sigsuspend` a mask that must not be written,
// and valgrind 3.19 writes into it. This function stands before the system's, and gives it a copy.
#if defined(__linux__)
__attribute__((used, visibility("default"))) int sigsuspend(const sigset_t *mask) {
  sigset_t copy = *mask;
  return (int)syscall(SYS_rt_sigsuspend, &copy, 8);
}
#endif
