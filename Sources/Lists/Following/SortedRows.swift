import RepriseObjectModel

/// Rows in the order of their content, of which a few change at a time: for implementing a data source.
///
/// ```swift
/// var rows = SortedRows(files) { $0.name < $1.name }
/// let before = ListSnapshot(rowCount: rows.count)
/// let changes = rows.apply([created, renamed], removing: [deleted.id])
/// observers.deliver(ListBatch(before: before, after: ListSnapshot(rowCount: rows.count), changes: changes))
/// ```
///
/// A value, which can be made on one thread and used on another. A row, its place and that of an identifier cost
/// O(log n); a change O(log n) comparisons for each row, and a pass over one in 512 rows.
public struct SortedRows<Element: Identifiable & Equatable> {
  private var chunks: RowChunks<Element>
  private var elements: [Element.ID: Element]

  /// Sorts rows. Of several with the same identifier the last one stays. O(n log n).
  ///
  /// - Parameter areInIncreasingOrder: Whether one row stands before another. It decides between any two rows with
  ///   different identifiers: where the content says nothing, by the identifier.
  public init(
    _ elements: some Sequence<Element>,
    by areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool
  ) {
    self.elements = [:]
    for element in elements { self.elements[element.id] = element }
    chunks = RowChunks(self.elements.values.sorted(by: areInIncreasingOrder), areInIncreasingOrder)
  }

  /// How many rows there are. O(1).
  public var count: Int { elements.count }

  /// Whether there is no row. O(1).
  public var isEmpty: Bool { elements.isEmpty }

  /// The row at an index, which must exist. O(log n).
  public subscript(index: Int) -> Element { chunks[index] }

  /// The row with an identifier. O(1).
  public func element(for id: Element.ID) -> Element? { elements[id] }

  /// Where the row with an identifier stands. O(log n).
  public func index(of id: Element.ID) -> Int? { elements[id].map { chunks.index(of: $0) } }

  /// Puts rows in, in place of those with the same identifiers, and takes rows out.
  ///
  /// - Parameters:
  ///   - upserted: Of several with the same identifier the last one counts.
  ///   - removed: Identifiers of rows that go, unless they are among those put in. Those of no row are ignored.
  /// - Returns: What changed, with as few moves as possible while rows that stay as they are do not move; empty if
  ///   nothing did, and `nil`, for a reset, if more than 10,000 rows did.
  public mutating func apply(_ upserted: some Sequence<Element>, removing removed: Set<Element.ID> = []) -> ListChanges?
  {
    var news: [Element.ID: Element?] = [:]
    for id in removed where elements[id] != nil { news[id] = .some(nil) }
    for element in upserted { news[element.id] = element }
    var changed = news.compactMap { id, new -> RowEdit? in
      let old = elements[id]
      return old == new ? nil : RowEdit(old: old, new: new, isInPlace: isInPlace(old, new))
    }
    // Names 10,000 rows at most, so that no more need be looked for.
    let isNamed = changed.count <= ListChanges.rowLimit
    if isNamed { for index in changed.indices { changed[index].oldIndex = changed[index].old.map(chunks.index) } }
    if changed.count > max(64, count / 8) {
      for (id, new) in news { elements[id] = new }
      chunks = chunks.rebuilt(elements.values)
    } else {
      for edit in changed {
        switch (edit.old, edit.new) {
        case (let old?, let new?) where edit.isInPlace: chunks.replace(old, with: new)
        case (let old, _): if let old { chunks.remove(old) }
        }
      }
      for edit in changed where !edit.isInPlace { if let new = edit.new { chunks.insert(new) } }
      for (id, new) in news { elements[id] = new }
      chunks.count()
    }
    guard isNamed else { return nil }
    for index in changed.indices { changed[index].newIndex = changed[index].new.map(chunks.index) }
    let changes = Self.changes(changed)
    return changes.rowCount > ListChanges.rowLimit ? nil : changes
  }

  /// Whether neither stands before the other, so that the row's content decides nothing about its place.
  private func isInPlace(_ old: Element?, _ new: Element?) -> Bool {
    guard let old, let new else { return false }
    return !chunks.precedes(old, new) && !chunks.precedes(new, old)
  }

  private struct RowEdit {
    let old: Element?
    let new: Element?
    let isInPlace: Bool
    var oldIndex: Int?
    var newIndex: Int?
  }

  private static func changes(_ edits: [RowEdit]) -> ListChanges {
    let moving = edits.filter { !$0.isInPlace }
    let departures = moving.compactMap(\.oldIndex).sorted()
    let arrivals = moving.compactMap(\.newIndex).sorted()
    var moves: [ListChanges.Move] = []
    // Between the same rows of those that stay as they are.
    var candidates: [(from: Int, to: Int)] = []
    for edit in moving {
      guard let from = edit.oldIndex, let to = edit.newIndex else { continue }
      let before = from - departures.partitionPoint { $0 >= from }
      if before == to - arrivals.partitionPoint({ $0 >= to }) {
        candidates.append((from, to))
      } else {
        moves.append(ListChanges.Move(from: RowPath(item: from), to: RowPath(item: to)))
      }
    }
    candidates.sort { $0.from < $1.from }
    let staying = Set(LongestIncreasing.indices(of: candidates.map(\.to)))
    for index in candidates.indices where !staying.contains(index) {
      moves.append(
        ListChanges.Move(from: RowPath(item: candidates[index].from), to: RowPath(item: candidates[index].to)))
    }
    let updates = edits.compactMap { edit -> ListChanges.Update? in
      guard let from = edit.oldIndex, let to = edit.newIndex else { return nil }
      return ListChanges.Update(before: RowPath(item: from), after: RowPath(item: to), properties: [])
    }
    return ListChanges(
      deletedRows: edits.filter { $0.new == nil }.compactMap(\.oldIndex).sorted().map { RowPath(item: $0) },
      insertedRows: edits.filter { $0.old == nil }.compactMap(\.newIndex).sorted().map { RowPath(item: $0) },
      movedRows: moves.sorted { $0.to < $1.to }, updatedRows: updates.sorted { $0.after < $1.after })
  }
}

extension SortedRows: Sendable where Element: Sendable, Element.ID: Sendable {}
