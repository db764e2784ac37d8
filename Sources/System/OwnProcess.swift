#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// This process.
package enum OwnProcess {
  /// The system's number for it, unique among the processes that this one can see.
  package static var id: Int32 { getpid() }
}
