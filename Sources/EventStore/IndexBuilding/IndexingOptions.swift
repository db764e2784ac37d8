import RepriseLog

/// The sizes of the slices in building indexes over existing objects. Tests make all of them small.
package struct IndexingOptions: Sendable {
  /// If the entity has at most this many objects, the transaction that declares an index also builds it.
  package var atOnce = 2_000
  /// The approximate number of bytes of rows that are sorted together.
  package var batchBytes = IndexRows.sliceBytes
  /// The most objects that are read in one snapshot.
  package var objectsRead = 20_000
  /// The number of rows in the first slice. Later slices have as many rows as take `nanoseconds`, but at most
  /// `mostRows`.
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
