/// A promise of `RemoteTransport` that a transport broke, found by ``RemoteTransportConformance``.
public struct RemoteTransportFailure: Error, Hashable, Sendable {
  /// A promise that is checked.
  @nonexhaustive
  public enum Check: String, Hashable, Sendable, CaseIterable {
    /// Whenever all pages are read, there is a last page, and each row is on exactly one page, with an identifier.
    ///
    /// All validators of one reading are equal, and so are all its cursors.
    case pages
    /// The answer to a validator or a cursor is `unmodified` only while nothing has changed.
    case unmodified
    /// The changes since a cursor lead from the earlier rows to the present ones.
    case cursor
    /// After an accepted change, the server's rows contain it, and are otherwise unchanged.
    case sending
    /// A change that is sent again, also by the next launch, is made once and gets the first answer.
    case repetition
    /// A change of a deleted row is answered by `gone`.
    ///
    /// A change of a row that was changed elsewhere is made, or answered by the present row.
    case staleness
    /// An unreachable server makes the transport throw `RemoteError.unavailable`, and unsent changes are not lost.
    case unavailability
    /// A cancelled task ends with a `CancellationError` or an answer, and does not affect later requests.
    case cancellation
  }

  /// The broken promise.
  public let check: Check
  /// The expected and the actual behaviour.
  public let reason: String
  /// The seed of the random numbers.
  ///
  /// Pass it to a ``RemoteTransportConformance`` to reproduce the failure.
  public let seed: UInt64
}

extension RemoteTransportFailure: CustomStringConvertible {
  /// The broken promise, and how to reproduce the failure.
  public var description: String {
    "The transport breaks the promise '\(check.rawValue)': \(reason) Use the seed \(seed) to reproduce this."
  }
}
