#include <lmdb.h>
#ifdef __linux__
// statfs, to recognise network file systems; the system's Swift module leaves it out.
#include <sys/vfs.h>
// The same of fallocate, which takes room on the disk.
#include <linux/falloc.h>
#include <sys/types.h>
extern int fallocate(int descriptor, int mode, off_t offset, off_t length);
// And of sync_file_range, which has pages written to the disk without waiting for them.
extern int sync_file_range(int descriptor, off_t offset, off_t length, unsigned int flags);
#endif
