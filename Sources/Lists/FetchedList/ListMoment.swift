import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// The rows of a fetched list at one moment: a position of the log, which its own pin keeps readable, and the overlays
/// above it. Its answers never change.
final class ListMoment {
  /// The place of an object's row.
  enum Place {
    /// The row with this many rows before it.
    case row(Int)
    case filteredOut
    case absent
  }

  let watched: WatchedFetch
  let map: EntityMap
  let projection: Projection
  private let pin: PositionPin
  private(set) var rows: Rows
  let count: Int
  /// The failure that kept the sections from being read. Then the list has a single section.
  private(set) var sectionFailure: StoreError?
  private var knownSnapshot: ListSnapshot?

  var fetch: CompiledFetch { watched.fetch }

  /// Makes a moment, and fetches its rows unless an index has them.
  init(_ watched: WatchedFetch, _ map: EntityMap, _ projection: Projection) throws(FetchError) {
    self.watched = watched
    self.map = map
    self.projection = projection
    pin = PositionPin(projection)
    if watched.fetch.isGrouped {
      rows = .grouped(try SectionedRows(watched.fetch, map, projection))
    } else if let counted = try projection.countedRows(watched.fetch, map) {
      rows = .counted(counted)
    } else {
      rows = .stored(try StoredRows(watched.fetch, map, projection))
    }
    count = rows.count
  }

  /// A moment whose rows are known.
  init(_ watched: WatchedFetch, _ map: EntityMap, _ projection: Projection, _ rows: Rows) {
    self.watched = watched
    self.map = map
    self.projection = projection
    pin = PositionPin(projection)
    self.rows = rows
    count = rows.count
  }

  // MARK: Following

  /// The moment of a later projection of the same context, and the changes until then. The changes are `nil` if they
  /// are unknown, because there are too many or something cannot be read. Then the rows were fetched again.
  ///
  /// Costs O(log n) and some reads for each changed object that has a row before or after. Costs one read for each
  /// other changed object of the entities that the fetch reads. Other changes cost nothing.
  ///
  /// - Parameter readingLog: Whether changes that memory no longer has are read from the log.
  func following(
    in next: Projection, readingLog: Bool = false
  ) throws(FetchError) -> (moment: ListMoment, changes: ListChanges?) {
    do throws(RowTree.Failure) {
      if let step = try advanced(to: next, readingLog: readingLog) { return (step.moment, step.changes) }
    } catch {
      // If the object is still unreadable, the fetch throws the reason.
    }
    return (try ListMoment(watched, map, next), nil)
  }

  /// As ``following(in:readingLog:)`` with the log, for a moment of the past. Only the changes are needed, so the
  /// result is `nil` if there are too many.
  func logged(until next: Projection) throws(StoreError) -> (moment: ListMoment, changes: ListChanges)? {
    let step: (moment: ListMoment, changes: ListChanges)?
    do throws(RowTree.Failure) {
      step = try advanced(to: next, readingLog: true)
    } catch {
      guard case .store(let failure) = error else { return nil }
      throw failure
    }
    if step == nil, let failure = sectionFailure ?? projection.failure ?? next.failure { throw failure }
    return step
  }

  private func advanced(
    to next: Projection, readingLog: Bool
  ) throws(RowTree.Failure) -> (moment: ListMoment, changes: ListChanges)? {
    var changes: [RowChange]
    do throws(StoreError) {
      guard let found = try watched.changes(from: projection, to: next, readingLog: readingLog) else { return nil }
      changes = found
    } catch {
      throw .store(error)
    }
    if case .grouped(let grouped) = rows, !changes.isEmpty {
      let step = try SectionedRowsStep(grouped, changes, fetch, map, next)
      let moment = ListMoment(watched, map, next, .grouped(step.rows))
      return step.changes.map { (moment, $0) }
    }
    guard let rows = try rows(in: next, &changes) else { return nil }
    let moment = ListMoment(watched, map, next, rows)
    if changes.isEmpty {
      guard moment.count == count else { throw .inconsistent }
      // The rows of an index are new even without changes, because rows outside the list shift the ranks of the list's
      // rows.
      moment.knownSnapshot = knownSnapshot
      moment.sectionFailure = sectionFailure
      return (moment, ListChanges())
    }
    if changes.allSatisfy({ $0.oldKey == $0.newKey && fetch.slotsOfOrder.isDisjoint(with: $0.slots) }) {
      // No row has moved, so the sections are the same.
      moment.knownSnapshot = knownSnapshot
      moment.sectionFailure = sectionFailure
    }
    try moment.findRanks(of: &changes, since: self)
    let before = snapshot
    let after = moment.snapshot
    guard sectionFailure == nil, moment.sectionFailure == nil else { return nil }
    let comparison = RowComparison(
      changes, from: self.rows.compared(in: before), to: moment.rows.compared(in: after))
    guard let comparison, comparison.count <= WatchedFetch.limit else { return nil }
    return (moment, comparison.listChanges(map.entity))
  }

  /// The rows in a later projection. `nil` if they must be fetched.
  private func rows(in next: Projection, _ changes: inout [RowChange]) throws(RowTree.Failure) -> Rows? {
    if case .grouped = rows { return rows }
    if fetch.countedIndex != nil {
      do throws(FetchError) {
        if let counted = try next.countedRows(fetch, map) { return .counted(counted) }
      } catch {
        return nil
      }
    }
    guard case .stored(let stored) = rows else { return nil }
    if changes.isEmpty { return rows }
    let reader = LaterRows(fetch: fetch, map: map, projection: next)
    return .stored(try stored.applying(&changes, fetch) { (uuid) throws(StoreError) in try reader.key(uuid) })
  }

  /// Looks up the ranks that are not known yet.
  private func findRanks(of changes: inout [RowChange], since earlier: ListMoment) throws(RowTree.Failure) {
    do throws(StoreError) {
      for index in changes.indices {
        let change = changes[index]
        if let key = change.oldKey, change.oldRank == nil {
          changes[index].oldRank = try earlier.rank(ofSortKey: key, change.uuid)
        }
        if let key = change.newKey, change.newRank == nil, !change.stays {
          changes[index].newRank = try rank(ofSortKey: key, change.uuid)
        }
      }
    } catch {
      throw .store(error)
    }
  }

  // MARK: Answers

  /// The numbers of rows and sections. The first call reads the sections of a counted index.
  var snapshot: ListSnapshot {
    if let knownSnapshot { return knownSnapshot }
    var snapshot = ListSnapshot(rowCount: count)
    if case .grouped(let rows) = rows {
      snapshot = rows.snapshot
    } else if fetch.section != nil {
      do throws(StoreError) {
        let sections = try answer({ (rows) throws(IndexSnapshot.Failure) in try rows.sections(fetch) }, \.sections)
        // Checks that the sections have the counted rows.
        guard sections.count == count else {
          throw .damaged(
            path: projection.store.path,
            reason: "an index counts \(count) rows, but its sections have \(sections.count) rows")
        }
        snapshot = sections
      } catch {
        sectionFailure = error
      }
    }
    knownSnapshot = snapshot
    return snapshot
  }

  /// The snapshot, without sections if they were not read yet.
  var cheapSnapshot: ListSnapshot { knownSnapshot ?? ListSnapshot(rowCount: count) }

  /// The object of the row at this index. The row must exist.
  func object(at index: Int) throws(StoreError) -> UniqueID {
    let found: UniqueID?
    if case .grouped(let rows) = rows {
      found = rows.object(at: index)
    } else {
      found = try answer(
        { (rows) throws(IndexSnapshot.Failure) in try rows.object(at: index, projection) },
        { $0.object(at: index) })
    }
    guard let found else {
      throw .damaged(
        path: projection.store.path,
        reason: "a list that counts \(count) rows has no row with the index \(index)")
    }
    return found
  }

  /// The objects of the rows at these indices, which must exist. One descent, then a step for each row.
  func objects(at range: Range<Int>) throws(StoreError) -> [UniqueID] {
    let found: [UniqueID]
    if case .grouped(let rows) = rows {
      found = rows.objects(at: range)
    } else {
      found = try answer(
        { (rows) throws(IndexSnapshot.Failure) in try rows.objects(at: range) }, { $0.objects(at: range) })
    }
    guard found.count == range.count else {
      throw .damaged(
        path: projection.store.path,
        reason: "a list that counts \(count) rows has only \(found.count) of the \(range.count) rows from row "
          + "\(range.lowerBound) on")
    }
    return found
  }

  /// The IDs of all rows, by section. O(n). No object is read.
  func identifiers<Model: PersistentModel>(of model: Model.Type) throws(StoreError) -> ListIdentifiers<Model.ID> {
    let snapshot = snapshot
    if let sectionFailure { throw sectionFailure }
    let ids = Model.ID.ids(try objects(at: 0..<count))
    return ListIdentifiers(
      snapshot.sections.indices.map {
        ListIdentifiers.Section(name: snapshot.sections[$0].name, ids: Array(ids[snapshot.rows(inSection: $0)]))
      })
  }

  /// The place of an object's row. O(log n).
  func place(of uuid: UniqueID) throws(StoreError) -> Place {
    let id = AnyObjectID(map.entity.interned, uuid)
    guard let values = try projection.read(id, map) else { return .absent }
    guard fetch.matches(values, id: id, source: projection) else { return .filteredOut }
    let key = fetch.sortKey(of: values, id: id, source: projection)
    if case .grouped(let rows) = rows {
      let section = fetch.sectionName(of: values, id: id, source: projection) ?? ""
      return rows.index(of: uuid, key: key, section: section).map { .row($0) } ?? .filteredOut
    }
    let rank = try rank(ofSortKey: key, uuid)
    guard let rank, rows.window.contains(rank) else { return .filteredOut }
    return .row(rank - rows.window.lowerBound)
  }

  /// The number of rows before an object's row, without limit and offset. `nil` if it has no row.
  private func rank(ofSortKey key: [UInt8], _ uuid: UniqueID) throws(StoreError) -> Int? {
    try answer(
      { (rows) throws(IndexSnapshot.Failure) in try rows.rank(ofSortKey: key) }, { $0.tree.rank(of: uuid, key: key) })
  }

  /// The number of rows of the index that differ from the rows at the head.
  var differences: Int {
    get throws(StoreError) {
      guard case .counted = rows else { return 0 }
      return try answer({ (rows) throws(IndexSnapshot.Failure) in try rows.index.differences() }, { _ in 0 })
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
      // invariant: rows that are neither counted nor grouped are stored.
      preconditionFailure("a list without rows")
    }
    return stored(rows)
  }
}
