#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A failed system call's error number.
package struct SystemFailure: Error, Equatable, Sendable {
  package let errno: Int32

  package init(errno: Int32) { self.errno = errno }

  /// Whether the process or the system ran out of a resource, so the same call may succeed a moment later. A file that
  /// could not be read for this reason must not be skipped.
  package var isPassing: Bool { errno == EMFILE || errno == ENFILE || errno == ENOMEM }

  /// Whether this user may not read the file, or it is a link or a device.
  package var isRefusal: Bool { errno == EACCES || errno == EPERM || errno == ELOOP || errno == ENXIO }

  package static var last: SystemFailure {
    #if canImport(Glibc)
    SystemFailure(errno: Glibc.errno)
    #elseif canImport(Musl)
    SystemFailure(errno: Musl.errno)
    #else
    SystemFailure(errno: Darwin.errno)
    #endif
  }
}
