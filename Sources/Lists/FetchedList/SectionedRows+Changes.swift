import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// Brings ``SectionedRows`` up to date with changes of rows.
struct SectionedRowsStep {
  let rows: SectionedRows
  /// The changes of the list. `nil` if there are too many.
  let changes: ListChanges?

  /// Costs O(log n) and some reads for each change, and a step for each section.
  ///
  /// - Parameter projection: The later projection.
  init(
    _ old: SectionedRows, _ changes: [RowChange], _ fetch: CompiledFetch, _ map: EntityMap, _ projection: Projection
  ) throws(RowTree.Failure) {
    let reader = LaterRows(fetch: fetch, map: map, projection: projection)
    var changes = changes
    var all = old.all
    if let before = old.all { (all, changes) = try Self.windowed(before, changes, reader) }
    let comparisons = try Self.compare(old, changes, reader)
    rows = SectionedRows(try Self.sections(old, comparisons, reader), all: all, old.finding)
    let count = comparisons.reduce(0) { $0 + $1.comparison.count }
    self.changes =
      count > WatchedFetch.limit ? nil : try Self.listChanges(from: old, to: rows, changes, comparisons, map.entity)
  }

  // MARK: Limit and offset

  /// The changes as limit and offset show them. A row that enters the window is inserted, and a row that leaves it is
  /// deleted.
  private static func windowed(
    _ before: RowTree, _ changes: [RowChange], _ reader: LaterRows
  ) throws(RowTree.Failure) -> (all: RowTree, changes: [RowChange]) {
    // In the order of the fetch, independent of the sections.
    var flat = changes.map { RowChange($0.uuid, from: $0.oldKey, to: $0.newKey, slots: $0.slots) }
    let all = try before.applying(changes: &flat) { (uuid) throws(StoreError) in try reader.key(uuid) }
    let old = RowComparison.Rows(before, reader.fetch)
    let new = RowComparison.Rows(all, reader.fetch)
    guard let comparison = RowComparison(flat, from: old, to: new) else { throw .inconsistent }
    let known = Set(changes.map(\.uuid))
    var seen: [RowChange] = []
    for change in changes {
      let oldRank = change.oldKey.flatMap { before.rank(of: change.uuid, key: $0) }
      let newRank = change.newKey.flatMap { all.rank(of: change.uuid, key: $0) }
      let wasIn = oldRank.map(old.window.contains) ?? false
      let isIn = newRank.map(new.window.contains) ?? false
      guard wasIn || isIn else { continue }
      var clipped = RowChange(
        change.uuid, from: wasIn ? change.oldKey : nil, to: isIn ? change.newKey : nil, slots: change.slots)
      clipped.oldSection = wasIn ? change.oldSection : nil
      clipped.newSection = isIn ? change.newSection : nil
      seen.append(clipped)
    }
    for rank in comparison.ranksLeaving {
      guard let uuid = before.row(at: rank), !known.contains(uuid) else { continue }
      let row = try reader.row(uuid)
      var change = RowChange(uuid, from: row.key, to: nil, slots: [])
      change.oldSection = row.section
      seen.append(change)
    }
    for rank in comparison.ranksComing {
      guard let uuid = all.row(at: rank), !known.contains(uuid) else { continue }
      let row = try reader.row(uuid)
      var change = RowChange(uuid, from: nil, to: row.key, slots: [])
      change.newSection = row.section
      seen.append(change)
    }
    return (all, seen)
  }

  // MARK: Sections

  /// The change of one section.
  private struct SectionStep {
    let name: String
    /// The rows of the section after the changes.
    let rows: RowTree
    /// The changes of this section, with their ranks. A row that moves to another section is deleted in one and
    /// inserted in the other.
    let changes: [RowChange]
    let comparison: RowComparison
  }

  private static func compare(
    _ old: SectionedRows, _ changes: [RowChange], _ reader: LaterRows
  ) throws(RowTree.Failure) -> [SectionStep] {
    var bySection: [String: [RowChange]] = [:]
    for change in changes {
      if let section = change.oldSection, section == change.newSection {
        bySection[section, default: []].append(change)
        continue
      }
      if let section = change.oldSection {
        var departure = RowChange(change.uuid, from: change.oldKey, to: nil, slots: change.slots)
        departure.oldSection = section
        bySection[section, default: []].append(departure)
      }
      if let section = change.newSection {
        var arrival = RowChange(change.uuid, from: nil, to: change.newKey, slots: change.slots)
        arrival.newSection = section
        bySection[section, default: []].append(arrival)
      }
    }
    var steps: [SectionStep] = []
    for (name, found) in bySection {
      var changes = found
      let before = old.rows(ofSection: name)
      let after = try before.applying(changes: &changes) { (uuid) throws(StoreError) in try reader.key(uuid) }
      let comparison = RowComparison(changes, from: RowComparison.Rows(before), to: RowComparison.Rows(after))
      guard let comparison else { throw .inconsistent }
      steps.append(SectionStep(name: name, rows: after, changes: changes, comparison: comparison))
    }
    return steps
  }

  /// The sections after the changes, in the order of their first rows.
  private static func sections(
    _ old: SectionedRows, _ steps: [SectionStep], _ reader: LaterRows
  ) throws(RowTree.Failure) -> [SectionedRows.Section] {
    let changed = Set(steps.map(\.name))
    var sections = old.sections.filter { !changed.contains($0.name) }
    for step in steps {
      guard let first = step.rows.row(at: 0) else { continue }
      let known = step.changes.first { $0.uuid == first }?.newKey
      let key = if let known { known } else { try reader.row(first).key }
      sections.append(SectionedRows.Section(name: step.name, rows: step.rows, first: key))
    }
    return sections.sorted { $0.first.precedes($1.first) }
  }

  // MARK: Changes

  private static func listChanges(
    from old: SectionedRows, to new: SectionedRows, _ changes: [RowChange], _ steps: [SectionStep], _ entity: Entity
  ) throws(RowTree.Failure) -> ListChanges {
    guard let sections = SectionComparison(from: old.snapshot, to: new.snapshot) else { throw .inconsistent }
    var moved: [ListChanges.Move] = []
    var updated: [ListChanges.Update] = []
    for change in changes {
      guard let oldSection = change.oldSection, let newSection = change.newSection, oldSection != newSection else {
        continue
      }
      guard let from = old.path(of: change.uuid, key: change.oldKey, section: oldSection),
        let to = new.path(of: change.uuid, key: change.newKey, section: newSection)
      else { throw .inconsistent }
      moved.append(ListChanges.Move(from: from, to: to))
      let names = change.slots.map { entity.properties[$0].name }
      if !names.isEmpty { updated.append(ListChanges.Update(before: from, after: to, properties: names)) }
    }
    var deleted: [RowPath] = []
    var inserted: [RowPath] = []
    let departures = Set(moved.map(\.from))
    let arrivals = Set(moved.map(\.to))
    for step in steps {
      let here = step.comparison.listChanges(entity)
      func before(_ path: RowPath) -> RowPath {
        RowPath(section: old.index(ofSection: step.name) ?? 0, item: path.item)
      }
      func after(_ path: RowPath) -> RowPath {
        RowPath(section: new.index(ofSection: step.name) ?? 0, item: path.item)
      }
      deleted += here.deletedRows.map(before).filter { !departures.contains($0) }
      inserted += here.insertedRows.map(after).filter { !arrivals.contains($0) }
      moved += here.movedRows.map { ListChanges.Move(from: before($0.from), to: after($0.to)) }
      updated += here.updatedRows.map {
        ListChanges.Update(before: before($0.before), after: after($0.after), properties: $0.properties)
      }
    }
    return ListChanges(
      deletedSections: sections.deleted, insertedSections: sections.inserted, movedSections: sections.moved,
      deletedRows: deleted.sorted(), insertedRows: inserted.sorted(), movedRows: moved.sorted { $0.to < $1.to },
      updatedRows: updated.sorted { $0.after < $1.after })
  }
}

extension SectionedRows {
  fileprivate func path(of uuid: UniqueID, key: [UInt8]?, section: String) -> RowPath? {
    key.flatMap { index(of: uuid, key: $0, section: section) }.flatMap { snapshot.path(at: $0) }
  }
}

extension RowComparison.Rows {
  /// All rows of a tree, without sections.
  fileprivate init(_ tree: RowTree) {
    self.init(total: tree.count, window: 0..<tree.count, snapshot: ListSnapshot(rowCount: tree.count))
  }

  /// The rows within limit and offset of a fetch.
  fileprivate init(_ tree: RowTree, _ fetch: CompiledFetch) {
    let window = fetch.window(of: tree.count)
    self.init(total: tree.count, window: window, snapshot: ListSnapshot(rowCount: window.count))
  }
}
