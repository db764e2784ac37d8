/// A promise of `DataSource` that a source broke, found by ``DataSourceConformance``.
public struct DataSourceFailure: Error, Hashable, Sendable {
  /// A promise that is checked.
  @nonexhaustive
  public enum Check: String, Hashable, Sendable, CaseIterable {
    /// Sections, row counts and the collection of rows agree.
    case counts
    /// For a section or row that does not exist, the source returns no name, no rows and no identifier.
    case outOfRange
    /// The source finds the row of an identifier, and finds no row for an identifier that no row has.
    case lookup
    /// Answers change only with a batch.
    case stability
    /// A batch begins where the last one ended, and ends with the rows that the source shows.
    case continuity
    /// The changes of a batch lead from the rows before to the rows after it, with valid paths.
    case changes
    /// A batch has row changes of the right kinds.
    case rowChanges
    /// Every observer receives every batch once, in the order of registration.
    case delivery
    /// An observer is called in the source's isolation.
    case isolation
    /// An observer is not called after its observation has ended or was released.
    case cancelling
    /// An observation does not retain the source.
    case retaining
    /// A change by an observer is announced after all observers have received the current batch.
    case reentrancy
    /// The source changes when the check changes it.
    ///
    /// Otherwise, the check would test nothing.
    case change
    /// A refresh brings external changes, announces them before it returns, and can be cancelled, joined and repeated.
    case refresh
    /// Pages bring further rows, remove none, and end.
    case paging
    /// A row has the same identifier in the next launch of the program.
    case identity
    /// Prefetching brings rows by batches, or nothing.
    case prefetching
    /// A screen with the source comes back at its row.
    case restoration
  }

  /// The broken promise.
  public let check: Check
  /// The expected and the actual behaviour.
  public let reason: String
  /// The seed.
  ///
  /// Pass it to a ``DataSourceConformance`` to reproduce the failure.
  public let seed: UInt64
  /// The number of changes before the failure.
  public let round: Int
}

extension DataSourceFailure: CustomStringConvertible {
  /// The broken promise, and how to reproduce the failure.
  public var description: String {
    "The data source breaks the promise '\(check.rawValue)': \(reason) Use the seed \(seed) to reproduce this"
      + (round > 0 ? " in round \(round)." : ".")
  }
}
