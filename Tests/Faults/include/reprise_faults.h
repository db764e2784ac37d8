#ifndef REPRISE_FAULTS_H
#define REPRISE_FAULTS_H

#include <stdint.h>

// Stands between this program and the system: every call that changes files below one folder can be counted, failed
// and recorded, those of liblmdb too. On Linux only; elsewhere nothing is ever counted.
//
// The functions are defined in the program itself, and the dynamic linker gives them to the libraries that it loads.

enum reprise_change {
  REPRISE_WRITE = 1,     // pwrite, write, writev, pwritev
  REPRISE_FLUSH = 2,     // fsync, fdatasync, and a write through a descriptor that was opened with O_DSYNC or O_SYNC
  REPRISE_TRUNCATE = 4,  // ftruncate, truncate
  REPRISE_ALLOCATE = 8,  // fallocate, posix_fallocate
  REPRISE_MAKE = 16,     // open that makes a file, mkdir
  REPRISE_RENAME = 32,   // rename, link
  REPRISE_REMOVE = 64,   // unlink, rmdir
  REPRISE_OPEN = 128,    // open that makes nothing
  REPRISE_MARK = 256,    // reprise_faults_mark
  REPRISE_FLUSH_BEGINS = 512,
  REPRISE_DROP = 1024,   // a flush that failed: of what it should have covered, no later flush covers anything
};

// From now on counts calls on what lies below a folder, and on the folder itself. Begins anew with number 1.
void reprise_faults_watch(const char *folder);

enum reprise_failing {
  REPRISE_FAILS_BEFORE,  // does nothing
  REPRISE_FAILS_SHORT,   // a write writes half of its bytes and says so; the next call fails and does nothing
  REPRISE_FAILS_AFTER,   // a write is done, and says that it failed; the next call fails and does nothing
  REPRISE_DIES_AFTER,    // a write is done, and the process is killed before it knows
  REPRISE_STOPS_AFTER,   // a write is done, and the process is stopped until it gets SIGCONT
  REPRISE_FAILS_DROPPING,  // a flush fails, and what is not flushed is forgotten, as Linux does
};

// Fails calls of the kinds in `kinds`, counted by themselves from now on: number `first` and as many as `count` says
// in all (0 fails none), with the error number `code`.
void reprise_faults_fail(uint32_t kinds, uint64_t first, uint64_t count, int code, enum reprise_failing how);

enum reprise_files {
  REPRISE_ALL_FILES,
  REPRISE_JOURNALS,     // what lies in a folder of the name "journals", and that folder itself
  REPRISE_OTHER_FILES,  // all the rest
};

// Of which files calls are counted until the first of them fails. From then on, those of all files are.
void reprise_faults_count(enum reprise_files files);

// How many calls of these kinds there were since `reprise_faults_fail` or `reprise_faults_watch`, and how many failed.
uint64_t reprise_faults_seen(void);
uint64_t reprise_faults_failed(void);

// Appends every change that succeeds, and every drop, to a file outside of the folder, which several processes may
// share: little-endian
//   u32 kind, u32 length of the first path, u32 length of the second path, u32 flags, u64 offset, u64 length of the
//   bytes, u64 flush; the paths, relative to the folder, the bytes.
// Flags: 1, a directory; 2, flushed by the call itself. Offset: of a write; the new length of a truncation.
// `flush`: the same for a flush and for its beginning. What came after the beginning it need not cover.
void reprise_faults_record(const char *file);

// Puts a text among the changes, in the place of the first path: what the program knows by now.
void reprise_faults_mark(const char *text);

#endif
