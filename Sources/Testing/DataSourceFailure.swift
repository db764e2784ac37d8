/// A promise of `DataSource` that a source did not keep, as ``DataSourceConformance`` found.
public struct DataSourceFailure: Error, Hashable, Sendable {
  /// What was checked.
  @nonexhaustive
  public enum Check: String, Hashable, Sendable, CaseIterable {
    /// Sections, numbers of rows, the snapshot and the collections say the same.
    case counts
    /// Where there is no section or row there is no name, no row and no identifier.
    case outOfRange
    /// An identifier leads to the row that has it, and to none if no row has it.
    case lookup
    /// What the source says changes with a batch only.
    case stability
    /// A batch begins with what the one before ended with, and ends with what the source shows.
    case continuity
    /// The changes of a batch lead from the rows before to the rows after, in places that exist.
    case changes
    /// Changes are told row by row, and as what they are.
    case rowChanges
    /// Every observer receives every batch once, in the order in which they began.
    case delivery
    /// An observer is called in the source's isolation.
    case isolation
    /// An observer whose observation has ended, or was released, is not called.
    case cancelling
    /// An observation does not retain the source.
    case retaining
    /// A change that an observer makes is told once all observers know the one before.
    case reentrancy
    /// The source changes when it is told to: otherwise nothing would have been checked.
    case change
    /// A refresh brings what changed elsewhere, tells it before it returns, and can be cancelled, joined and repeated.
    case refresh
    /// Pages bring further rows, take none away, and come to an end.
    case paging
    /// A row has the same identifier in the next launch of the program.
    case identity
    /// Prefetching is a hint: it brings rows, by batches, or nothing.
    case prefetching
    /// A screen that needs the source comes back with its row.
    case restoration
  }

  /// What was checked.
  public let check: Check
  /// What was expected, and what was found.
  public let reason: String
  /// Pass it as the `seed` of a ``DataSourceConformance`` to see the failure again.
  public let seed: UInt64
  /// The number of changes until then.
  public let round: Int
}

extension DataSourceFailure: CustomStringConvertible {
  /// The promise that was broken, and how to see it again.
  public var description: String {
    "The data source does not keep the promise '\(check.rawValue)': \(reason) It is seen again with the seed \(seed), "
      + "after \(round) changes."
  }
}
