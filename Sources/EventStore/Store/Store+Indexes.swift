import RepriseLog
import RepriseObjectModel

/// How far an index is that is being built.
public struct IndexProgress: Hashable, Sendable {
  /// The entity's name.
  public let entity: String
  /// The name of the attribute, or of several properties as in "[folder, name]".
  public let index: String
  /// How much of it is done, from 0 to 1. Indexes are built one after the other.
  public let done: Double
}

extension Store {
  /// The indexes that the models declare and that are still being built; the one under way is the first. Empty most
  /// often.
  ///
  /// An index that is new in the models, over more than a few thousand objects, is built while the program works, in
  /// short commits, by one of the processes that have the store open with these models. Until it is ready, fetches do
  /// without it, as `explain(_:)` of a context says, and find the same objects. A process that ends leaves it to the
  /// next one to go on from there. Unique indexes, and what orders a relationship, are ready before the store is open.
  public var unfinishedIndexes: [IndexProgress] {
    let (targets, progress) = indexing.left
    let stored = map.stored
    return targets.enumerated().compactMap { place, target in
      guard !target.isReady(in: stored), let entity = stored.entity(number: target.entity),
        let property = entity.property(number: target.property)
      else { return nil }
      return IndexProgress(entity: entity.name, index: property.name, done: place == 0 ? progress : 0)
    }
  }

  /// Returns when all indexes that the models declare are ready.
  ///
  /// Takes a few microseconds for each object. Nothing needs it but what must not be slow, as an import that looks for
  /// each object.
  ///
  /// - Throws: ``StoreError``: the last step failed, as by a full disk. It is retried every five seconds, and the next
  ///   call waits again. `closed` if the store is closed meanwhile.
  public nonisolated(nonsending) func waitForIndexes() async throws {
    try await waitUntilOpen()
    try await indexing.steps.wait()
    if isClosed { throw StoreError.closed(path: path) }
  }
}
