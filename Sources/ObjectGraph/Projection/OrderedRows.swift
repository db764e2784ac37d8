import RepriseEventStore
import RepriseObjectModel

/// The rows of one object's members in an ordered relationship, in order: a range of the counted index over owner and
/// place.
struct OrderedRows {
  private enum Content {
    case counted(IndexSnapshot, Range<Int>)
    /// The keys in memory, if too many rows differ from the head for the index.
    case read([[UInt8]])
  }

  private let content: Content

  init(_ index: IndexSnapshot, _ range: KeyRange) throws(IndexSnapshot.Failure) {
    content = .counted(index, try index.ranks(in: range))
  }

  init(_ keys: [[UInt8]]) { content = .read(keys.sorted { $0.lexicographicallyPrecedes($1) }) }

  /// These rows without hidden rows, and without rows that exist only in the counts of a damaged index.
  func without(_ isHidden: (UniqueID) -> Bool) throws(IndexSnapshot.Failure) -> OrderedRows {
    let keys: [[UInt8]]
    switch content {
    case .counted(let index, let ranks):
      keys = try index.rowKeys(from: ranks.lowerBound, limit: ranks.count, .ascending)
    case .read(let all): keys = all
    }
    return OrderedRows(keys.filter { RowKey.uuid($0).map { !isHidden($0) } ?? false })
  }

  var count: Int {
    switch content {
    case .counted(_, let ranks): ranks.count
    case .read(let keys): keys.count
    }
  }

  /// The object of the row at a position, which must exist. `nil` if damage hides the row.
  func object(at position: Int) throws(IndexSnapshot.Failure) -> UniqueID? {
    switch content {
    case .counted(let index, let ranks): try index.rowKey(at: ranks.lowerBound + position).flatMap { RowKey.uuid($0) }
    case .read(let keys): keys.indices.contains(position) ? RowKey.uuid(keys[position]) : nil
    }
  }

  /// The objects of the rows at these positions, in order. Damage may hide some.
  func objects(_ positions: Range<Int>) throws(IndexSnapshot.Failure) -> [UniqueID] {
    switch content {
    case .counted(let index, let ranks):
      if positions.isEmpty { return [] }
      return try index.rowKeys(from: ranks.lowerBound + positions.lowerBound, limit: positions.count, .ascending)
        .compactMap { RowKey.uuid($0) }
    case .read(let keys): return keys[positions.clamped(to: keys.indices)].compactMap { RowKey.uuid($0) }
    }
  }

  /// The number of rows before the row with this key. `nil` if no row has it.
  func position(of key: [UInt8]) throws(IndexSnapshot.Failure) -> Int? {
    switch content {
    case .counted(let index, let ranks):
      let place = try index.place(of: key)
      return place.isThere && ranks.contains(place.rank) ? place.rank - ranks.lowerBound : nil
    case .read(let keys):
      let place = keys.partitionPoint { !$0.lexicographicallyPrecedes(key) }
      return place < keys.count && keys[place] == key ? place : nil
    }
  }
}

/// The rows that were requested last, and the state that they belong to.
struct KnownRows {
  let relationship: ResolvedSchema.Relationship
  let owner: UniqueID
  let position: Position
  let layers: [OverlayHistory.Stamp]
  let rows: OrderedRows
}
