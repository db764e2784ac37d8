#include <lmdb.h>
#ifdef __linux__
// statfs, to recognise network file systems; the system's Swift module leaves it out.
#include <sys/vfs.h>
// The same of fallocate, which takes room on the disk.
#include <linux/falloc.h>
#include <sys/types.h>
extern int fallocate(int descriptor, int mode, off_t offset, off_t length);
#endif
