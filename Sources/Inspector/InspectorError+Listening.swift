#if Inspector
import Foundation
import NIOCore

extension InspectorError {
  /// An error of the network.
  init(_ error: any Error, port: Int) {
    switch error {
    case let error as IOError where error.errnoCode == EADDRINUSE: self = .portInUse(port)
    default: self = .cannotListen(port: port, reason: "\(error)")
    }
  }
}
#endif
