import XCTest

@testable import LatencyRunner

final class WriteTraceTests: XCTestCase {
  func testWritesAndFlushesOfTheStoreAreCounted() {
    let trace = WriteTrace(
      """
      7 openat(AT_FDCWD</tmp>, "a/data", O_RDWR|O_CREAT, 0600) = 3</tmp/a/data>
      7 openat(AT_FDCWD</tmp>, "b", O_RDWR, 0600) = 4</tmp/b>
      7 pwrite64(3</tmp/a/data>, ""..., 4096, 8192) = 4096
      7 pwritev(3</tmp/a/data>, [...], 2, 100) = 500
      7 fdatasync(3</tmp/a/data>)         = 0
      7 write(4</tmp/b>, ""..., 9) = 9
      7 fsync(4</tmp/b>) = 0
      7 +++ exited with 0 +++
      """, store: "/tmp/a")
    XCTAssertEqual(trace.bytes, 4_596)
    XCTAssertEqual(trace.flushes, 1)
  }

  func testAWriteToASynchronousFileIsAFlush() {
    let trace = WriteTrace(
      """
      7 openat(AT_FDCWD</tmp>, "a/data", O_WRONLY|O_DSYNC|O_CLOEXEC) = 5</tmp/a/data>
      7 pwrite64(5</tmp/a/data>, ""..., 120, 0) = 120
      7 close(5</tmp/a/data>) = 0
      7 openat(AT_FDCWD</tmp>, "a/data", O_WRONLY) = 5</tmp/a/data>
      7 pwrite64(5</tmp/a/data>, ""..., 30, 0) = 30
      """, store: "/tmp/a")
    XCTAssertEqual(trace.bytes, 150)
    XCTAssertEqual(trace.flushes, 1)
  }

  func testCallsThatThreadsInterruptAreCountedOnce() {
    let trace = WriteTrace(
      """
      7 fdatasync(3</tmp/a/data> <unfinished ...>
      8 pwrite64(3</tmp/a/data>, ""..., 64, 0 <unfinished ...>
      7 <... fdatasync resumed>)              = 0
      8 <... pwrite64 resumed>) = 64
      9 fsync(3</tmp/a/data> <unfinished ...>
      """, store: "/tmp/a")
    XCTAssertEqual(trace.bytes, 64)
    XCTAssertEqual(trace.flushes, 1)
  }

  func testWhatFailedIsNotCounted() {
    let trace = WriteTrace(
      """
      7 fsync(3</tmp/a/data>) = -1 EIO (Input/output error)
      7 write(3</tmp/a/data>, ""..., 10) = -1 ENOSPC (No space left on device)
      7 --- SIGCHLD {si_signo=SIGCHLD} ---
      """, store: "/tmp/a")
    XCTAssertEqual(trace, WriteTrace())
  }

  func testAMapIsFlushedWhereTheCallWaits() {
    let trace = WriteTrace(
      "7 msync(0x7f0000000000, 4096, MS_SYNC) = 0\n7 msync(0x7f0000000000, 4096, MS_ASYNC) = 0\n", store: "/tmp/a")
    XCTAssertEqual(trace.flushes, 1)
  }

  func testTheRunWithoutSavesIsTakenOff() {
    let write = "7 write(3</tmp/a/data>, \"\"..., 10) = 10\n7 fsync(3</tmp/a/data>) = 0\n"
    let all = WriteTrace(write + write + write, store: "/tmp/a")
    XCTAssertEqual((all - WriteTrace(write, store: "/tmp/a")).bytes, 20)
    XCTAssertEqual((all - WriteTrace(write, store: "/tmp/a")).flushes, 2)
  }
}
