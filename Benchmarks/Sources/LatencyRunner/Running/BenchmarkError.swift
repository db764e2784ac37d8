#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Why there is no figure.
enum BenchmarkError: Error, Equatable, CustomStringConvertible {
  /// The peer has no counterpart for the row, which is then left out.
  case unsupported
  /// The machine lacks something; no fault of a peer.
  case missing(String)
  case failed(String)

  static func system(_ action: String, _ code: Int32) -> BenchmarkError {
    .failed("\(action): \(String(cString: strerror(code)))")
  }

  var description: String {
    switch self {
    case .unsupported: "has no counterpart"
    case .missing(let what): "needs \(what)"
    case .failed(let what): "failed: \(what)"
    }
  }
}
