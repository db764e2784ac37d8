import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// What a fetched list shows at one moment: a position of the log, kept readable by its own pin, and the overlays above
/// it. Its answers never change.
final class ListMoment {
  enum Rows {
    /// None in memory: they are one range of a counted index.
    case counted(CountedRows)
    case stored(StoredRows)
  }

  /// Where the row of an object is.
  enum Place {
    /// It has this many rows before it.
    case row(Int)
    case filteredOut
    case absent
  }

  let fetch: CompiledFetch
  let map: EntityMap
  let projection: Projection
  private let pin: PositionPin
  private(set) var rows: Rows
  let count: Int
  /// The failure that kept the sections from being read; the list has a single one then.
  private(set) var sectionFailure: StoreError?
  private var knownSnapshot: ListSnapshot?

  init(_ fetch: CompiledFetch, _ map: EntityMap, _ projection: Projection) throws(FetchError) {
    self.fetch = fetch
    self.map = map
    self.projection = projection
    pin = PositionPin(projection)
    if let counted = try Self.countedRows(fetch, map, projection) {
      rows = .counted(counted)
      count = counted.ranks.count
    } else {
      let stored = try StoredRows(fetch, map, projection)
      rows = .stored(stored)
      count = stored.uuids.count
    }
  }

  /// The same rows at a later moment, as none of them changed. An index is read again all the same: rows outside the
  /// list shift the ranks of those in it.
  init(carrying moment: ListMoment, to projection: Projection) throws(FetchError) {
    fetch = moment.fetch
    map = moment.map
    count = moment.count
    knownSnapshot = moment.knownSnapshot
    sectionFailure = moment.sectionFailure
    self.projection = projection
    pin = PositionPin(projection)
    rows = moment.rows
    if case .counted = rows, let counted = try Self.countedRows(fetch, map, projection), counted.ranks.count == count {
      rows = .counted(counted)
    } else if case .counted = rows {
      rows = .stored(try StoredRows(fetch, map, projection))
    }
  }

  /// `nil` if no counted index serves the fetch, or if too many rows differ from the head for it to pay.
  private static func countedRows(
    _ fetch: CompiledFetch, _ map: EntityMap, _ projection: Projection
  ) throws(FetchError) -> CountedRows? {
    do throws(IndexSnapshot.Failure) {
      return try CountedRows(fetch, map, projection)
    } catch {
      switch error {
      case .store(let error): throw .notReadable(error.description)
      case .outgrown: return nil
      }
    }
  }

  /// Whether anything that the list shows reads differently at a later moment. A change that merely moved from an
  /// overlay into the log does not count.
  func isTouched(in next: Projection) throws(StoreError) -> Bool {
    guard let changed = try next.objectsChanged(since: projection) else { return true }
    for id in changed {
      if id.name != map.entity.interned && !fetch.readsOtherObjects { continue }
      // No fetch reads an entity without a model in this program.
      guard let map = projection.store.map.map(id.name) else { continue }
      let before = try projection.read(id, map)
      let after = try next.read(id, map)
      if Self.areIdentical(before, after) { continue }
      if fetch.readsOtherObjects { return true }
      if let before, fetch.matches(before, id: id, source: projection) { return true }
      if let after, fetch.matches(after, id: id, source: next) { return true }
    }
    return false
  }

  private static func areIdentical(
    _ before: ContiguousArray<PropertyValue>?, _ after: ContiguousArray<PropertyValue>?
  ) -> Bool {
    guard let before, let after else { return before == nil && after == nil }
    return before.elementsEqual(after) { $0.isIdentical(to: $1) }
  }

  // MARK: Answers

  /// The numbers of rows and sections. The first call reads the sections of a counted index.
  var snapshot: ListSnapshot {
    if let knownSnapshot { return knownSnapshot }
    var snapshot = ListSnapshot(rowCount: count)
    if fetch.section != nil {
      do throws(StoreError) {
        snapshot = try answer({ (rows) throws(IndexSnapshot.Failure) in try rows.sections(fetch) }, \.sections)
      } catch {
        sectionFailure = error
      }
    }
    knownSnapshot = snapshot
    return snapshot
  }

  /// The snapshot, without sections if they were not read yet.
  var cheapSnapshot: ListSnapshot { knownSnapshot ?? ListSnapshot(rowCount: count) }

  /// The object of the row at this index, which must exist.
  func object(at index: Int) throws(StoreError) -> UniqueID {
    try answer({ (rows) throws(IndexSnapshot.Failure) in try rows.object(at: index, projection) }, { $0.uuids[index] })
  }

  /// In a counted index O(log n), in memory O(n).
  func place(of uuid: UniqueID) throws(StoreError) -> Place {
    guard let values = try projection.read(AnyObjectID(map.entity.interned, uuid), map) else { return .absent }
    let index = try answer(
      { (rows) throws(IndexSnapshot.Failure) in try rows.index(of: uuid, values) }, { $0.uuids.firstIndex(of: uuid) })
    return index.map { .row($0) } ?? .filteredOut
  }

  /// How many rows of the index differ from those at the head.
  var differences: Int {
    get throws(StoreError) {
      try answer({ (rows) throws(IndexSnapshot.Failure) in try rows.index.differences() }, { _ in 0 })
    }
  }

  private func answer<Answer>(
    _ counted: (CountedRows) throws(IndexSnapshot.Failure) -> Answer, _ stored: (StoredRows) -> Answer
  ) throws(StoreError) -> Answer {
    if case .counted(let rows) = rows {
      do throws(IndexSnapshot.Failure) {
        return try counted(rows)
      } catch {
        if case .store(let error) = error { throw error }
        do throws(FetchError) {
          self.rows = .stored(try StoredRows(fetch, map, projection))
        } catch {
          throw .damaged(path: projection.store.path, reason: error.description)
        }
      }
    }
    guard case .stored(let rows) = rows else {
      // invariant: what is not counted is stored.
      preconditionFailure("a list without rows")
    }
    return stored(rows)
  }
}

/// Keeps a position readable.
private final class PositionPin {
  private let store: Store
  private let position: Position

  init(_ projection: Projection) {
    store = projection.store
    position = store.pin(at: projection.position)
  }

  deinit { store.unpin(position) }
}
