#include <lmdb.h>
#ifdef __linux__
// statfs, to recognise network file systems; the system's Swift module leaves it out.
#include <sys/vfs.h>
#endif
