import GRDB
import Workload

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

exit(WorkerExit.unsupported)
