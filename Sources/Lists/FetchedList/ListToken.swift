import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// A token for the moment that a list shows, for ``FetchedList/changes(since:)``.
///
/// A token is `Codable`, so it can outlive the process. It has the position in the log, the fetch, and the uncommitted
/// changes of that moment. Its size does not depend on the number of rows.
public struct ListToken<Element: PersistentModel>: Hashable, Sendable, Codable {
  let fetch: Fetch<Element>
  let log: UniqueID
  let position: Position
  /// The first word of the transaction's hash. It shows whether the log was replaced by another log with the same ID.
  let hash: UInt64
  /// The uncommitted changes. `nil` if there were too many.
  let uncommitted: [UncommittedObject]?

  /// Archives contain these keys: never rename one.
  private enum CodingKeys: String, CodingKey {
    case fetch
    case log
    case position
    case hash
    case uncommitted
  }
}

extension FetchedList {
  /// A token for the moment that the list shows now.
  ///
  /// Keep it to ask later for the changes since then.
  ///
  /// Takes time in proportion to the uncommitted changes of the objects that the fetch reads. If there are more than
  /// 1,000 of them, ``changes(since:)`` returns a reset for this token.
  ///
  /// - Throws: ``StoreError`` or ``FetchError`` if the list cannot be read.
  public var token: ListToken<Element> {
    get throws {
      guard let moment = shown else { throw failure ?? StoreError.closed(path: context.store.path) }
      let position = moment.projection.position
      return ListToken(
        fetch: fetch, log: context.store.logID, position: position,
        hash: try context.store.log.hash(at: position)?.words.0 ?? 0,
        uncommitted: moment.projection.uncommitted(in: moment.watched.entities, limit: 1000))
    }
  }

  /// Returns the changes from the moment of a token to the moment that the list shows now, as one batch.
  ///
  /// Applied to the rows of that moment, the batch gives the present rows, even if the program was killed in between.
  /// If nothing changed, the changes of the batch are empty.
  ///
  /// The batch is a reset, with an empty ``ListBatch/before``, in these cases:
  ///
  /// - The token belongs to another list or another store, or has more than 1,000 uncommitted changes.
  /// - The log no longer has the changes, because an older copy replaced the store, or retention dropped them.
  /// - More than 10,000 rows changed.
  ///
  /// Takes time in proportion to the transactions since the token, and a fetch if no index has the rows.
  ///
  /// - Throws: ``StoreError`` or ``FetchError`` if the list, its rows at that moment or the changes since cannot be
  ///   read, for example because the log is damaged.
  public func changes(since token: ListToken<Element>) throws -> ListBatch {
    let after = snapshot
    guard let moment = shown else { throw failure ?? StoreError.closed(path: context.store.path) }
    let reset = ListBatch(before: ListSnapshot([]), after: after)
    let store = context.store
    guard token.fetch == fetch, token.log == store.logID, let uncommitted = token.uncommitted,
      let hash = try store.log.hash(at: token.position), hash.words.0 == token.hash
    else { return reset }
    let past = moment.projection.past(at: token.position, uncommitted: uncommitted)
    do {
      let earlier = try ListMoment(moment.watched, moment.map, past)
      guard let (now, changes) = try earlier.logged(until: moment.projection), now.snapshot == after else {
        return reset
      }
      return ListBatch(before: earlier.snapshot, after: after, changes: changes)
    } catch StoreError.truncated {
      return reset
    }
  }
}
