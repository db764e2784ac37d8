import RepriseLog
import RepriseObjectModel

/// The progress of an index that is being built.
public struct IndexProgress: Equatable, Sendable {
  /// The entity's name.
  public let entity: String
  /// The name of the attribute, or of several properties as in "[folder, name]".
  public let index: String
  /// The finished part of the index, from 0 to 1. Indexes are built one after the other, so only the first one in the
  /// list is above 0.
  public let done: Double
}

extension Store {
  /// The indexes of the models that are still being built, in the order of their building. Usually empty. The cost
  /// grows with their number.
  ///
  /// If a new index of the models covers more than 2,000 objects, it is built while the program works, in short
  /// commits. One of the processes that have the store open with these models builds it. If that process ends, the next
  /// one continues. Until an index is ready, fetches find the same objects without it, as `explain(_:)` of a context
  /// shows.
  ///
  /// Unique indexes and the indexes that order a relationship are ready before the store is open.
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

  /// Returns when all indexes of the models are ready. Building takes a few microseconds for each object.
  ///
  /// Few programs need this. An import that looks up every object is an example: without the index, each look-up scans
  /// the entity.
  ///
  /// - Throws: ``StoreError``: the reason of the last failed step, for example a full disk. The library retries it
  ///   every five seconds, and the next call waits again. `closed` if the store is closed meanwhile.
  public nonisolated(nonsending) func waitForIndexes() async throws {
    try await waitUntilOpen()
    try await indexing.steps.wait()
    if isClosed { throw StoreError.closed(path: path) }
  }
}
