/// A promise of `RemoteTransport` that a transport did not keep, as ``RemoteTransportConformance`` found.
public struct RemoteTransportFailure: Error, Hashable, Sendable {
  /// What was checked.
  @nonexhaustive
  public enum Check: String, Hashable, Sendable, CaseIterable {
    /// The pages come to an end, and have each row once, with an identifier, and the same ones the next time. If they
    /// name the state of the list, they name one.
    case pages
    /// `unmodified` answers a validator or a cursor, and only as long as nothing has changed.
    case unmodified
    /// What changed since a cursor leads from the rows before to the rows now.
    case cursor
    /// What was accepted is in the rows, and nothing else has changed.
    case sending
    /// The same change sent again, also by the next launch, is made once, and answered as the first time.
    case repetition
    /// A row that is gone, or that somebody else has changed, is told apart from one that is as it was.
    case staleness
    /// A server that cannot be reached is `RemoteError.unavailable`, and what was sent then is not lost.
    case unavailability
    /// A cancelled task ends with a `CancellationError` or an answer, and does no harm to the next one.
    case cancellation
  }

  /// What was checked.
  public let check: Check
  /// What was expected, and what was found.
  public let reason: String
  /// Pass it as the `seed` of a ``RemoteTransportConformance`` to see the failure again.
  public let seed: UInt64
}

extension RemoteTransportFailure: CustomStringConvertible {
  /// The promise that was broken, and how to see it again.
  public var description: String {
    "The transport does not keep the promise '\(check.rawValue)': \(reason) It is seen again with the seed \(seed)."
  }
}
