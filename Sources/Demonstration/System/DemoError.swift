#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Why the demonstration stopped.
enum DemoError: Error, CustomStringConvertible {
  /// The command line is wrong.
  case usage(String)
  /// The data or the store is not what it should be.
  case data(String)
  /// A result differs from what it must be.
  case differs(String)
  /// A phase failed, and printed why.
  case failed(String, code: Int32)
  case system(String, Int32)

  /// The process's exit code.
  var code: Int32 {
    switch self {
    case .usage: 64
    case .data, .system: 66
    case .differs: 1
    case .failed(_, let code): code == 0 ? 1 : code
    }
  }

  var description: String {
    switch self {
    case .usage(let text): "\(text) --help lists the options."
    case .data(let text), .differs(let text), .failed(let text, _): text
    case .system(let what, let code): "Failed when \(what): \(String(cString: strerror(code)))."
    }
  }
}
