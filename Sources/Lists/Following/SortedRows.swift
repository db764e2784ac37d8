import RepriseObjectModel

/// Rows that stay sorted by their content, for the implementation of a data source. Use this type for many rows when
/// only a few change at a time.
///
/// ```swift
/// var rows = SortedRows(files) { $0.name < $1.name }
/// let before = ListSnapshot(rowCount: rows.count)
/// let changes = rows.apply([created, renamed], removing: [deleted.id])
/// observers.deliver(ListBatch(before: before, after: ListSnapshot(rowCount: rows.count), changes: changes))
/// ```
///
/// It is a value, so you can make it on one thread and use it on another. To read a row, or to find its index, takes
/// O(log n) time. A change takes O(log n) comparisons for each changed row, and a pass over one in 512 rows.
public struct SortedRows<Element: Identifiable & Equatable> {
  private var chunks: RowChunks<Element>
  private var elements: [Element.ID: Element]

  /// Sorts rows.
  ///
  /// If several rows have the same identifier, only the last one counts.
  ///
  /// - Parameter areInIncreasingOrder: Returns whether one row precedes another. It must order any two rows with
  ///   different identifiers: if their content is equal, by the identifier.
  /// - Complexity: O(n log n)
  public init(
    _ elements: some Sequence<Element>,
    by areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool
  ) {
    self.elements = [:]
    for element in elements { self.elements[element.id] = element }
    chunks = RowChunks(self.elements.values.sorted(by: areInIncreasingOrder), areInIncreasingOrder)
  }

  /// The number of rows.
  ///
  /// - Complexity: O(1)
  public var count: Int { elements.count }

  /// Whether the value has no rows.
  ///
  /// - Complexity: O(1)
  public var isEmpty: Bool { elements.isEmpty }

  /// The row at an index, which must exist.
  ///
  /// - Complexity: O(log n)
  public subscript(index: Int) -> Element { chunks[index] }

  /// Returns the row with an identifier, or `nil` if there is none.
  ///
  /// - Complexity: O(1)
  public func element(for id: Element.ID) -> Element? { elements[id] }

  /// Returns the index of the row with an identifier, or `nil` if there is none.
  ///
  /// - Complexity: O(log n)
  public func index(of id: Element.ID) -> Int? { elements[id].map { chunks.index(of: $0) } }

  /// Inserts or replaces rows, and removes rows.
  ///
  /// - Parameters:
  ///   - upserted: The rows to insert, or to replace the rows with the same identifiers. If several have the same
  ///     identifier, the last one counts.
  ///   - removed: The identifiers of rows to remove, unless `upserted` has them. Unknown identifiers are ignored.
  /// - Returns: The changes. Unchanged rows do not move, and as few changed rows as possible do. The changes are empty
  ///   if nothing changed. The result is `nil`, for a reset, if more than 10,000 rows changed.
  public mutating func apply(_ upserted: some Sequence<Element>, removing removed: Set<Element.ID> = []) -> ListChanges?
  {
    var news: [Element.ID: Element?] = [:]
    for id in removed where elements[id] != nil { news[id] = .some(nil) }
    for element in upserted { news[element.id] = element }
    var changed = news.compactMap { id, new -> RowEdit? in
      let old = elements[id]
      return old == new ? nil : RowEdit(old: old, new: new, isInPlace: isInPlace(old, new))
    }
    // Changes name at most 10,000 rows. If more changed, their indices are not needed.
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

  /// Whether neither element sorts before the other, so that the row keeps its place.
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
    // The rows that stay between the same unchanged rows.
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
