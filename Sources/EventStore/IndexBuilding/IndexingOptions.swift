import RepriseLog

/// How indexes are built over objects that exist. Tests make all of it small.
package struct IndexingOptions: Sendable {
  /// Up to so many objects of an entity, an index is built by the transaction that declares it.
  package var atOnce = 2_000
  /// About how many bytes of rows are sorted together.
  package var batchBytes = IndexRows.sliceBytes
  /// How many objects are read in one snapshot at most.
  package var objectsRead = 20_000
  /// How many rows a slice has at first, and how many at most: as many as take this time.
  package var rows = 500
  package var mostRows = 4_000
  package var nanoseconds: UInt64 = 4_000_000
  /// Called on the library's thread before each step. Tests stop there, or change the store.
  package var onStep: (@Sendable () -> Void)?

  package init() {}

  /// The pause after a step, in nanoseconds. It is as long as other writers had to wait for the step, so they have half
  /// of the time. It has a limit because a process may be stopped for minutes within a step.
  func pause(after held: UInt64) -> UInt64 { min(held, 500_000_000) }
}
