/// A promise of `LogTransport` that an adapter broke, found by ``LogTransportConformance``.
public struct LogTransportFailure: Error, Hashable, Sendable {
  /// A promise that is checked.
  @nonexhaustive
  public enum Check: String, Hashable, Sendable, CaseIterable {
    /// If several appends follow the same place, one is accepted, and each other one gets the packets that it lacks.
    case races
    /// An append of a packet that the log has gets its place, also over another connection and after a release.
    case duplicates
    /// The log returns the packets in their order, byte for byte, and each packet once.
    case reading
    /// If the log has another packet at a place, or another epoch, the answer is `diverged`.
    case divergence
    /// If the packets after a place were released, the answer has the place before the first kept packet.
    case release
    /// Several logs in one system do not mix.
    case separation
    /// A connection can be ended and made again.
    case connection
    /// Packets of several servers are neither lost nor doubled, and no reader sees a packet that is lost later. This
    /// holds although connections or servers fail meanwhile.
    case interruption
  }

  /// The broken promise.
  public let check: Check
  /// The expected and the actual behaviour.
  public let reason: String
  /// The seed of the random numbers.
  ///
  /// Pass it to a ``LogTransportConformance`` to reproduce the failure.
  public let seed: UInt64
}

extension LogTransportFailure: CustomStringConvertible {
  /// The broken promise, and how to reproduce the failure.
  public var description: String {
    "The transport breaks the promise '\(check.rawValue)': \(reason) Use the seed \(seed) to reproduce this."
  }
}
