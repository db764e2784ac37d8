public import RepriseCore

/// The reason why a page cannot be served.
@nonexhaustive
public enum InspectorError: RepriseError, Equatable {
  /// Another program listens at the port.
  ///
  /// `Inspector.serve` throws it. Name another port, or 0 for a free one.
  case portInUse(Int)
  /// The system refuses to listen at the port.
  ///
  /// `Inspector.serve` throws it. The reason is the system's. Ports below 1024 often belong to the administrator.
  case cannotListen(port: Int, reason: String)
}

extension InspectorError: CustomStringConvertible {
  /// The failure, its place, and the next step.
  public var description: String {
    switch self {
    case .portInUse(let port):
      "The inspector cannot listen at port \(port), because another program does. Name another port, or 0 for a free "
        + "one."
    case .cannotListen(let port, let reason):
      "The inspector cannot listen at port \(port): \(reason) Name another port, or 0 for a free one."
    }
  }
}
