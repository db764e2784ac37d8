import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// The rows of a list in memory. They are kept up to date by changes of rows.
struct StoredRows {
  /// All rows that match, without limit and offset. So if a row leaves, the next one is known.
  let tree: RowTree
  /// How the fetch found the rows.
  let finding: FetchFinding?
  /// The range of the rows that the list shows.
  let window: Range<Int>
  /// The sections of the visible rows.
  let sections: ListSnapshot
  /// The sections of all rows.
  private let allSections: ListSnapshot

  /// Costs as much as the fetch without its limit.
  init(_ fetch: CompiledFetch, _ map: EntityMap, _ projection: Projection) throws(FetchError) {
    let keys = try projection.sortedKeys(fetch, map)
    self.init(RowTree(keys), keys.finding, Self.sections(fetch, keys), fetch)
  }

  private init(_ tree: RowTree, _ finding: FetchFinding?, _ sections: ListSnapshot, _ fetch: CompiledFetch) {
    self.tree = tree
    self.finding = finding
    allSections = sections
    window = fetch.window(of: tree.count)
    self.sections = window.count == tree.count ? sections : sections.clipped(to: window)
  }

  func object(at index: Int) -> UniqueID? { tree.row(at: window.lowerBound + index) }

  func objects(at range: Range<Int>) -> [UniqueID] {
    tree.rows(at: window.lowerBound + range.lowerBound..<window.lowerBound + range.upperBound)
  }

  /// The rows after changes.
  ///
  /// - Parameters:
  ///   - changes: The changes of the rows. Each receives its ranks.
  ///   - key: Reads the sort keys of the later projection.
  func applying(
    _ changes: inout [RowChange], _ fetch: CompiledFetch, _ key: RowTree.KeyReader
  ) throws(RowTree.Failure) -> StoredRows {
    let tree = try self.tree.applying(changes: &changes, key)
    return StoredRows(tree, finding, try sections(after: changes, fetch, count: tree.count), fetch)
  }
}

// MARK: Sections

extension StoredRows {
  /// One search for the end of each section. O(sections × log n).
  private static func sections(_ fetch: CompiledFetch, _ keys: SortedKeys) -> ListSnapshot {
    guard fetch.section != nil else { return ListSnapshot(rowCount: keys.count) }
    var sections: [ListSnapshot.Section] = []
    var start = 0
    while start < keys.count {
      let name = fetch.sectionName(ofSortKey: keys.key(at: start))
      // The search takes doubling steps, then halving steps, because most sections are short.
      var step = 1
      while start + step < keys.count, fetch.sectionName(ofSortKey: keys.key(at: start + step)) == name { step *= 2 }
      var low = start + step / 2 + 1
      var high = min(start + step, keys.count)
      while low < high {
        let middle = (low + high) / 2
        if fetch.sectionName(ofSortKey: keys.key(at: middle)) == name { low = middle + 1 } else { high = middle }
      }
      sections.append(ListSnapshot.Section(name: name, rowCount: low - start))
      start = low
    }
    return ListSnapshot(sections)
  }

  /// The sections of all rows after changes, whose ranks are known. O(sections + changes × log sections).
  private func sections(
    after changes: [RowChange], _ fetch: CompiledFetch, count: Int
  ) throws(RowTree.Failure) -> ListSnapshot {
    guard fetch.section != nil else { return ListSnapshot(rowCount: count) }
    let moving = changes.filter { !$0.stays }
    if moving.isEmpty { return allSections }
    let old = allSections.sections
    var counts = old.map(\.rowCount)
    for change in moving {
      if let rank = change.oldRank, let path = allSections.path(at: rank) { counts[path.section] -= 1 }
    }
    var indices: [String?: Int] = [:]
    for (index, section) in old.enumerated() { indices[section.name] = index }
    // The number of added rows and the least rank of these, by the name of the section.
    var added: [String?: (count: Int, first: Int)] = [:]
    for change in moving {
      guard let key = change.newKey, let rank = change.newRank else { continue }
      let name = fetch.sectionName(ofSortKey: key)
      if let index = indices[name] {
        counts[index] += 1
      } else {
        let known = added[name] ?? (0, rank)
        added[name] = (known.count + 1, min(known.first, rank))
      }
    }
    var sections: [ListSnapshot.Section] = []
    var start = 0
    var new = added.sorted { $0.value.first < $1.value.first }[...]
    func append(_ name: String?, _ count: Int) {
      if count > 0 { sections.append(ListSnapshot.Section(name: name, rowCount: count)) }
      start += count
    }
    for (section, count) in zip(old, counts) {
      while let next = new.first, next.value.first == start {
        append(next.key, next.value.count)
        new.removeFirst()
      }
      append(section.name, count)
    }
    while let next = new.popFirst(), next.value.first == start { append(next.key, next.value.count) }
    guard new.isEmpty, start == count, !counts.contains(where: { $0 < 0 }) else { throw .inconsistent }
    return ListSnapshot(sections)
  }
}

extension ListSnapshot {
  /// The sections of some of the rows.
  fileprivate func clipped(to rows: Range<Int>) -> ListSnapshot {
    if sections.count == 1, sections[0].name == nil { return ListSnapshot(rowCount: rows.count) }
    var clipped: [Section] = []
    var start = 0
    for section in sections {
      let common = (start..<start + section.rowCount).clamped(to: rows)
      if !common.isEmpty { clipped.append(Section(name: section.name, rowCount: common.count)) }
      start += section.rowCount
    }
    return ListSnapshot(clipped)
  }
}
