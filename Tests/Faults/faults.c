#define _GNU_SOURCE
#include "reprise_faults.h"

#ifdef __linux__

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { most_descriptors = 4096, most_path = 512 };

// What is known of a descriptor that lies in the folder; an empty path for any other.
struct file {
  char path[most_path];
  int flags;
};

// Recursive: after `hold_at_exit`, the exiting thread may close files.
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static atomic_int is_watching;
static char folder[most_path];
static size_t folder_length;
static struct file files[most_descriptors];
static int record = -1;
static uint64_t flushes;

static uint32_t failing_kinds = ~0u;
static uint64_t failing_first, failing_count;
static enum reprise_files failing_files;
static int failing_code;
static enum reprise_failing failing_how;
static uint64_t seen, failed;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

void reprise_faults_watch(const char *path) {
  pthread_mutex_lock(&lock);
  folder_length = strlen(path);
  if (folder_length >= most_path) abort();
  memcpy(folder, path, folder_length + 1);
  memset(files, 0, sizeof files);
  seen = failed = failing_count = 0;
  failing_kinds = ~0u;
  failing_files = REPRISE_ALL_FILES;
  atomic_store(&is_watching, 1);
  pthread_mutex_unlock(&lock);
}

void reprise_faults_fail(uint32_t kinds, uint64_t first, uint64_t count, int code, enum reprise_failing how) {
  pthread_mutex_lock(&lock);
  failing_kinds = kinds;
  failing_first = first;
  failing_count = count;
  failing_code = code;
  failing_how = how;
  seen = failed = 0;
  pthread_mutex_unlock(&lock);
}

void reprise_faults_count(enum reprise_files files) {
  pthread_mutex_lock(&lock);
  failing_files = files;
  pthread_mutex_unlock(&lock);
}

uint64_t reprise_faults_seen(void) { return seen; }
uint64_t reprise_faults_failed(void) { return failed; }

// The exit of a process ends its threads anywhere, and the record of a change must not lack what is on the disk. So the
// exiting thread waits until no thread is within a change, and lets none begin another.
static void hold_at_exit(void) { pthread_mutex_lock(&lock); }

void reprise_faults_record(const char *path) {
  static int holds;
  if (!holds++) atexit(hold_at_exit);
  pthread_mutex_lock(&lock);
  record = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  pthread_mutex_unlock(&lock);
}

// The path below the folder; "." for the folder itself; null for what lies elsewhere.
static const char *inside(const char *path) {
  if (!path || strncmp(path, folder, folder_length)) return NULL;
  if (!path[folder_length]) return ".";
  return path[folder_length] == '/' ? path + folder_length + 1 : NULL;
}

static struct file *known(int descriptor) {
  if (!atomic_load(&is_watching) || descriptor < 0 || descriptor >= most_descriptors) return NULL;
  return files[descriptor].path[0] ? &files[descriptor] : NULL;
}

// The lock is held. Whether this call is to fail.
static int fails(uint32_t kind, const char *path) {
  if (!(kind & failing_kinds)) return 0;
  if (failing_files != REPRISE_ALL_FILES && !failed &&
      (failing_files == REPRISE_JOURNALS) != (strstr(path, "/journals") != NULL)) {
    return 0;
  }
  seen++;
  if (!failing_count || seen < failing_first || seen - failing_first >= failing_count) return 0;
  failed++;
  return 1;
}

// The lock is held. One call for all of it: several processes may append to the same recording.
static void note(
    uint32_t kind, const char *path, const char *other, uint32_t flags, uint64_t offset, const struct iovec *bytes,
    size_t length, uint64_t flush) {
  enum { most_parts = 64 };
  if (record < 0) return;
  int code = errno;
  uint32_t sizes[4] = {kind, (uint32_t)strlen(path), other ? (uint32_t)strlen(other) : 0, flags};
  uint64_t places[3] = {offset, length, flush};
  struct iovec all[4 + most_parts] = {
      {sizes, sizeof sizes}, {places, sizeof places}, {(void *)path, sizes[1]}, {(void *)other, sizes[2]}};
  int count = 4;
  size_t whole = sizeof sizes + sizeof places + sizes[1] + sizes[2] + length;
  for (; length; bytes++, count++) {
    if (count == 4 + most_parts) abort();
    all[count].iov_base = bytes->iov_base;
    all[count].iov_len = bytes->iov_len < length ? bytes->iov_len : length;
    length -= all[count].iov_len;
  }
  long done;
  do done = syscall(SYS_writev, record, all, count); while (done < 0 && errno == EINTR);
  if (done != (long)whole) abort();
  errno = code;
}

void reprise_faults_mark(const char *text) {
  pthread_mutex_lock(&lock);
  note(REPRISE_MARK, text, NULL, 0, 0, NULL, 0, 0);
  pthread_mutex_unlock(&lock);
}

// MARK: Writing

// Writes as the caller would; `offset` below 0: at the descriptor's own place.
static ssize_t forward(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return offset < 0 ? REAL(writev)(descriptor, parts, count) : REAL(pwritev)(descriptor, parts, count, offset);
}

static ssize_t change(int descriptor, const struct iovec *parts, int count, off_t offset) {
  struct file *file = known(descriptor);
  if (!file) return forward(descriptor, parts, count, offset);
  pthread_mutex_lock(&lock);
  int flushes = (file->flags & O_DSYNC) != 0;
  off_t place = offset;
  if (place < 0) place = lseek(descriptor, 0, file->flags & O_APPEND ? SEEK_END : SEEK_CUR);
  // A pipe, which has the number of a directory that the system closed unseen.
  if (place < 0) {
    pthread_mutex_unlock(&lock);
    return forward(descriptor, parts, count, offset);
  }
  size_t whole = 0;
  for (int part = 0; part < count; part++) whole += parts[part].iov_len;
  ssize_t done;
  if (fails(REPRISE_WRITE | (flushes ? REPRISE_FLUSH : 0), file->path)) {
    enum reprise_failing how = failing_how;
    done = -1;
    if (how == REPRISE_FAILS_SHORT || how == REPRISE_FAILS_AFTER) {
      failing_how = REPRISE_FAILS_BEFORE;
      failing_count++;
    }
    if (how == REPRISE_STOPS_AFTER) {
      done = forward(descriptor, parts, count, offset);
      raise(SIGSTOP);  // This thread, so that it goes no further
    } else if (how == REPRISE_FAILS_SHORT && whole > 1) {
      struct iovec half = parts[0];
      if (half.iov_len > whole / 2) half.iov_len = whole / 2;
      done = forward(descriptor, &half, 1, offset);
    } else {
      if (how == REPRISE_FAILS_AFTER || how == REPRISE_DIES_AFTER || how == REPRISE_FAILS_DROPPING) {
        ssize_t all = forward(descriptor, parts, count, offset);
        if (how == REPRISE_DIES_AFTER) kill(getpid(), SIGKILL);
        if (all > 0) note(REPRISE_WRITE, file->path, NULL, 0, (uint64_t)place, parts, (size_t)all, 0);
      }
      if (how == REPRISE_FAILS_DROPPING) note(REPRISE_DROP, file->path, NULL, 0, 0, NULL, 0, 0);
      errno = failing_code;
    }
  } else {
    done = forward(descriptor, parts, count, offset);
  }
  if (done > 0) note(REPRISE_WRITE, file->path, NULL, flushes ? 2 : 0, (uint64_t)place, parts, (size_t)done, 0);
  pthread_mutex_unlock(&lock);
  return done;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  struct iovec all = {(void *)bytes, count};
  return known(descriptor) ? change(descriptor, &all, 1, offset) : REAL(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  struct iovec all = {(void *)bytes, count};
  return known(descriptor) ? change(descriptor, &all, 1, -1) : REAL(write)(descriptor, bytes, count);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) { return change(descriptor, parts, count, -1); }

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return change(descriptor, parts, count, offset);
}

// MARK: Flushing

static int flush(int descriptor, int (*body)(int)) {
  struct file *file = known(descriptor);
  if (!file) return body(descriptor);
  pthread_mutex_lock(&lock);
  uint64_t number = (uint64_t)getpid() << 32 | ++flushes;
  int failing = fails(REPRISE_FLUSH, file->path);
  if (failing) {
    if (failing_how == REPRISE_FAILS_DROPPING) note(REPRISE_DROP, file->path, NULL, 0, 0, NULL, 0, 0);
    errno = failing_code;
  } else {
    note(REPRISE_FLUSH_BEGINS, file->path, NULL, 0, 0, NULL, 0, number);
  }
  pthread_mutex_unlock(&lock);
  if (failing) return -1;
  // Others write meanwhile, as they would without us.
  int code = body(descriptor);
  pthread_mutex_lock(&lock);
  struct stat status;
  int is_directory = !fstat(descriptor, &status) && S_ISDIR(status.st_mode);
  if (!code) note(REPRISE_FLUSH, file->path, NULL, is_directory ? 1 : 0, 0, NULL, 0, number);
  pthread_mutex_unlock(&lock);
  return code;
}

int fsync(int descriptor) { return flush(descriptor, REAL(fsync)); }
int fdatasync(int descriptor) { return flush(descriptor, REAL(fdatasync)); }

// MARK: Lengths

// One change that has no bytes.
#define CHANGE(kind, path, other, flags, offset, call)                              \
  ({                                                                                \
    pthread_mutex_lock(&lock);                                                      \
    int code_ = -1;                                                                 \
    if (fails(kind, path)) {                                                        \
      errno = failing_code;                                                         \
    } else {                                                                        \
      code_ = (call);                                                               \
      if (!code_) note(kind, path, other, flags, (uint64_t)(offset), NULL, 0, 0);    \
    }                                                                               \
    pthread_mutex_unlock(&lock);                                                    \
    code_;                                                                          \
  })

int ftruncate(int descriptor, off_t length) {
  struct file *file = known(descriptor);
  if (!file) return REAL(ftruncate)(descriptor, length);
  return CHANGE(REPRISE_TRUNCATE, file->path, NULL, 0, length, REAL(ftruncate)(descriptor, length));
}

int ftruncate64(int descriptor, off_t length) { return ftruncate(descriptor, length); }

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
  struct file *file = known(descriptor);
  if (!file) return REAL(fallocate)(descriptor, mode, offset, length);
  return CHANGE(
      REPRISE_ALLOCATE, file->path, NULL, (uint32_t)mode, offset + length,
      REAL(fallocate)(descriptor, mode, offset, length));
}

// MARK: Names

// The lock is held. Links and ".." are resolved by the system.
static void remember(int descriptor, int flags) {
  if (descriptor < 0 || descriptor >= most_descriptors) return;
  int code = errno;
  char place[64], whole[most_path];
  snprintf(place, sizeof place, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(place, whole, sizeof whole - 1);
  const char *name = NULL;
  if (length > 0) {
    whole[length] = 0;
    name = inside(whole);
  }
  snprintf(files[descriptor].path, most_path, "%s", name ? name : "");
  files[descriptor].flags = flags;
  errno = code;
}

static int open_file(const char *path, int flags, mode_t mode) {
  __typeof__(&open) body = REAL(open);
  const char *name = atomic_load(&is_watching) ? inside(path) : NULL;
  if (!name) return body(path, flags, mode);
  pthread_mutex_lock(&lock);
  struct stat status;
  int is_new = (flags & O_CREAT) && lstat(path, &status);
  int descriptor = -1;
  if (fails(is_new ? REPRISE_MAKE : REPRISE_OPEN, name)) {
    errno = failing_code;
  } else {
    descriptor = body(path, flags, mode);
  }
  remember(descriptor, flags);
  if (descriptor >= 0 && is_new) note(REPRISE_MAKE, name, NULL, 0, 0, NULL, 0, 0);
  if (descriptor >= 0 && flags & O_TRUNC && !is_new) note(REPRISE_TRUNCATE, name, NULL, 0, 0, NULL, 0, 0);
  pthread_mutex_unlock(&lock);
  return descriptor;
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_file(path, flags, mode);
}

// Relative to a folder that was opened by its path; makes nothing.
int openat(int directory, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  struct file *folder_file = known(directory);
  if (!folder_file) return REAL(openat)(directory, path, flags, mode);
  pthread_mutex_lock(&lock);
  int descriptor = -1;
  if (fails(REPRISE_OPEN, folder_file->path)) {
    errno = failing_code;
  } else {
    descriptor = REAL(openat)(directory, path, flags, mode);
    remember(descriptor, flags);
  }
  pthread_mutex_unlock(&lock);
  return descriptor;
}

int close(int descriptor) {
  if (known(descriptor)) {
    pthread_mutex_lock(&lock);
    files[descriptor].path[0] = 0;
    pthread_mutex_unlock(&lock);
  }
  return REAL(close)(descriptor);
}

int mkdir(const char *path, mode_t mode) {
  const char *name = atomic_load(&is_watching) ? inside(path) : NULL;
  if (!name) return REAL(mkdir)(path, mode);
  return CHANGE(REPRISE_MAKE, name, NULL, 1, 0, REAL(mkdir)(path, mode));
}

int rename(const char *from, const char *to) {
  const char *name = atomic_load(&is_watching) ? inside(from) : NULL;
  const char *other = name ? inside(to) : NULL;
  if (!other) return REAL(rename)(from, to);
  int code = CHANGE(REPRISE_RENAME, name, other, 0, 0, REAL(rename)(from, to));
  if (code) return code;
  pthread_mutex_lock(&lock);
  // What is written through open descriptors goes under the new name from now on.
  for (int each = 0; each < most_descriptors; each++) {
    if (!strcmp(files[each].path, name)) snprintf(files[each].path, most_path, "%s", other);
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

int link(const char *from, const char *to) {
  const char *name = atomic_load(&is_watching) ? inside(from) : NULL;
  const char *other = name ? inside(to) : NULL;
  if (!other) return REAL(link)(from, to);
  return CHANGE(REPRISE_RENAME, name, other, 4, 0, REAL(link)(from, to));
}

int unlink(const char *path) {
  const char *name = atomic_load(&is_watching) ? inside(path) : NULL;
  if (!name) return REAL(unlink)(path);
  return CHANGE(REPRISE_REMOVE, name, NULL, 0, 0, REAL(unlink)(path));
}

int rmdir(const char *path) {
  const char *name = atomic_load(&is_watching) ? inside(path) : NULL;
  if (!name) return REAL(rmdir)(path);
  return CHANGE(REPRISE_REMOVE, name, NULL, 1, 0, REAL(rmdir)(path));
}

#else

void reprise_faults_watch(const char *folder) { (void)folder; }
void reprise_faults_count(enum reprise_files files) { (void)files; }
void reprise_faults_fail(uint32_t kinds, uint64_t first, uint64_t count, int code, enum reprise_failing how) {
  (void)kinds, (void)first, (void)count, (void)code, (void)how;
}
uint64_t reprise_faults_seen(void) { return 0; }
uint64_t reprise_faults_failed(void) { return 0; }
void reprise_faults_record(const char *file) { (void)file; }
void reprise_faults_mark(const char *text) { (void)text; }

#endif
