#include "workload.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

// In front of the system's, for all libraries of the program.
#ifdef __linux__
#include <sys/syscall.h>

static int64_t flush_delay;

void workload_slow_flushes(int64_t nanoseconds) { __atomic_store_n(&flush_delay, nanoseconds, __ATOMIC_RELAXED); }

static int flushed(int code) {
  int64_t delay = __atomic_load_n(&flush_delay, __ATOMIC_RELAXED);
  struct timespec time = {delay / 1000000000, delay % 1000000000};
  if (delay > 0) nanosleep(&time, NULL);
  return code;
}

int fdatasync(int file) { return flushed((int)syscall(SYS_fdatasync, file)); }
int fsync(int file) { return flushed((int)syscall(SYS_fsync, file)); }
#else
void workload_slow_flushes(int64_t nanoseconds) { (void)nanoseconds; }
#endif

uint64_t workload_hash_begin(void) { return 0xCBF29CE484222325u; }

uint64_t workload_hash_bytes(uint64_t hash, const void *bytes, size_t count) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * 0x100000001B3u;
  return hash;
}

uint64_t workload_hash_integer(uint64_t hash, int64_t value) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((uint64_t)value >> (8 * i));
  return workload_hash_bytes(hash, bytes, sizeof bytes);
}

int64_t workload_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t workload_seed(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + ((uint64_t)getpid() << 40);
}

int64_t workload_fresh(void) {
  static int64_t last;
  if (last == 0) last = (int64_t)(workload_seed() >> 12);
  return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

uint64_t workload_random(uint64_t *state) {
  uint64_t bits = *state += 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

int64_t workload_anonymous_bytes(void) {
  char text[8192];
  int file = open("/proc/self/status", O_RDONLY);
  if (file < 0) return 0;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  const char *line = strstr(text, "RssAnon:");
  return line ? strtoll(line + 8, NULL, 10) * 1024 : 0;
}

int64_t workload_kept_bytes(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  return workload_anonymous_bytes();
}

static char *output;
static size_t used, capacity;

void workload_put(const char *label, int64_t value) {
  if (capacity - used < 200) {
    capacity = capacity ? capacity * 2 : 4096;
    output = realloc(output, capacity);
    if (!output) abort();
  }
  used += (size_t)snprintf(output + used, 200, "%.160s %lld\n", label, (long long)value);
}

void workload_flush(void) {
  size_t written = 0;
  while (written < used) {
    ssize_t count = write(1, output + written, used - written);
    if (count <= 0) _exit(1);
    written += (size_t)count;
  }
  used = 0;
}

void workload_exit(int status) {
  workload_flush();
  _exit(status);
}

void workload_complain(const char *program, const char *text) { fprintf(stderr, "%s: %s\n", program, text); }
