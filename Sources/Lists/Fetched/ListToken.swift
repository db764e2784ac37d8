import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// What a list showed at one moment, for ``FetchedList/changes(since:)``: `Codable`, so that it outlives the process.
///
/// It has the position in the log, the fetch, and the uncommitted changes that the list showed; so its size does not
/// depend on the number of rows.
public struct ListToken<Element: PersistentModel>: Hashable, Sendable, Codable {
  let fetch: Fetch<Element>
  let log: UniqueID
  let position: Position
  /// The first word of the transaction's hash: a log that was replaced by another one with the same ID has other
  /// transactions.
  let hash: UInt64
  /// `nil` if there were too many.
  let uncommitted: [UncommittedObject]?

  /// Part of archives: never rename a key.
  private enum CodingKeys: String, CodingKey {
    case fetch
    case log
    case position
    case hash
    case uncommitted
  }
}

extension FetchedList {
  /// Stands for what the list shows now: keep it to ask later what changed since. Costs the uncommitted changes of the
  /// objects that the fetch reads; of more than 1,000 of them, what changed since then is not told.
  ///
  /// - Throws: ``StoreError``, ``FetchError``: the list cannot be read.
  public var token: ListToken<Element> {
    get throws {
      guard let moment = shown else { throw failure ?? StoreError.closed(path: context.store.path) }
      let position = moment.projection.position
      return ListToken(
        fetch: fetch, log: context.store.logID, position: position,
        hash: try context.store.hash(at: position)?.words.0 ?? 0,
        uncommitted: moment.projection.uncommitted(in: moment.watched.entities, limit: 1000))
    }
  }

  /// What changed from the moment of a token to what the list shows now, as one batch: applied to the rows that the
  /// list showed then, it gives those that it shows now, also if the program was killed in between. Its changes are
  /// empty if there are none.
  ///
  /// It is a reset, with nothing before it, if the token is of another list or another store; if the log no longer
  /// tells, because the store was replaced by an older copy, or part of the log is gone; and beyond 10,000 rows.
  ///
  /// Costs the transactions since, and, if no index has the rows, a fetch.
  ///
  /// - Throws: ``StoreError``, ``FetchError``: the list cannot be read.
  public func changes(since token: ListToken<Element>) throws -> ListBatch {
    let after = snapshot
    guard let moment = shown else { throw failure ?? StoreError.closed(path: context.store.path) }
    let reset = ListBatch(before: ListSnapshot([]), after: after)
    let store = context.store
    guard token.fetch == fetch, token.log == store.logID, let uncommitted = token.uncommitted,
      let hash = try? store.hash(at: token.position), hash.words.0 == token.hash
    else { return reset }
    let past = moment.projection.past(at: token.position, uncommitted: uncommitted)
    guard let earlier = try? ListMoment(moment.watched, moment.map, past),
      let (now, changes) = try? earlier.following(in: moment.projection, readingLog: true), let changes,
      now.snapshot == after
    else { return reset }
    return ListBatch(before: earlier.snapshot, after: after, changes: changes)
  }
}
