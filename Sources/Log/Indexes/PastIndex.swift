import RepriseLMDB
import RepriseObjectModel

/// A counted index as it was at a position. It has the nodes of the history that belong to the position, and their
/// entries that were valid there.
package struct PastIndex: Sendable {
  package let position: Position
  private let history: IndexHistory
  private let root: HistoryNodeID

  /// `nil` if the history does not reach back to the position.
  package init?(_ history: IndexHistory, at position: Position, in view: View) throws(StorageError) {
    guard let root = try history.root(at: position, view) else { return nil }
    self.history = history
    self.position = position
    self.root = root
  }

  package var index: CountedIndex { history.index }

  // MARK: Nodes

  /// The children that a node had at the position, with their row counts.
  private struct Branches {
    struct Branch {
      let lower: Range<Int>
      let id: HistoryNodeID
      let rows: Int
    }

    var keys: [UInt8] = []
    var all: [Branch] = []

    /// The last child whose rows may sort before `key`, or be `key` itself if `isIncluded`.
    func place(of key: RawSpan, isIncluded: Bool) -> Int {
      let keys = keys.span.bytes
      var (low, high) = (0, all.count)
      while low < high {
        let middle = (low + high) / 2
        let order = compareBytes(keys.extracting(all[middle].lower), key)
        if order < 0 || isIncluded && order == 0 { low = middle + 1 } else { high = middle }
      }
      return max(0, low - 1)
    }
  }

  /// The rows that a node had at the position.
  private struct Rows {
    var keys: [UInt8] = []
    var all: [Range<Int>] = []

    /// The number of rows that sort before `key`, and whether it is a row itself.
    func place(of key: RawSpan) -> RowPlace {
      let keys = keys.span.bytes
      var (low, high) = (0, all.count)
      while low < high {
        let middle = (low + high) / 2
        if compareBytes(keys.extracting(all[middle]), key) < 0 { low = middle + 1 } else { high = middle }
      }
      return RowPlace(rank: low, isThere: low < all.count && compareBytes(keys.extracting(all[low]), key) == 0)
    }
  }

  private enum Node {
    case rows(Rows)
    case branches(Branches, level: UInt8)
  }

  /// Reads a node.
  ///
  /// - Parameter level: The level that the node must have. `nil` for the root. So a damaged tree has no cycle.
  private func node(_ id: HistoryNodeID, _ level: UInt8?, _ nodes: TableReader) throws(StorageError) -> Node {
    let position = position
    return try history.withNode(id, nodes) { (bytes) throws(MalformedBytes) in
      var entries = try HistoryEntries(bytes, born: id.born)
      if let level, entries.level != level { throw MalformedBytes("a tree node on level \(level)", at: 0) }
      guard entries.level > 0 else {
        var rows = Rows()
        rows.keys.reserveCapacity(2 * bytes.count)
        while try entries.nextKey() {
          let (from, to) = try entries.row()
          guard from <= position, to.map({ position < $0 }) ?? true else { continue }
          rows.all.append(rows.keys.count..<rows.keys.count + entries.key.count)
          rows.keys.append(contentsOf: entries.key)
        }
        return Node.rows(rows)
      }
      var branches = Branches()
      branches.keys.reserveCapacity(2 * bytes.count)
      while try entries.nextKey() {
        let child = try entries.child()
        guard child.isThere(at: position) else { continue }
        branches.all.append(
          Branches.Branch(
            lower: branches.keys.count..<branches.keys.count + entries.key.count, id: child.id,
            rows: try child.rows(at: position).count))
        branches.keys.append(contentsOf: entries.key)
      }
      if branches.all.isEmpty { throw MalformedBytes("a child in the state after transaction \(position)", at: 0) }
      return Node.branches(branches, level: entries.level)
    }
  }

  // MARK: Counts

  /// The number of rows. One node.
  package func count(in view: View) throws(StorageError) -> Int {
    switch try node(root, nil, view.readerOfOne(index.table)) {
    case .rows(let rows): rows.all.count
    case .branches(let branches, _): branches.all.reduce(0) { $0 + $1.rows }
    }
  }

  /// Rank: the number of rows that sort before `rowKey`, and whether it is a row itself. `rowKey` may be any bytes. One
  /// node on each level.
  package func place(of rowKey: RawSpan, in view: View) throws(StorageError) -> RowPlace {
    let nodes = view.reader(index.table)
    var (id, level, rank) = (root, UInt8?.none, 0)
    while true {
      switch try node(id, level, nodes) {
      case .rows(let rows):
        var place = rows.place(of: rowKey)
        place.rank += rank
        return place
      case .branches(let branches, let found):
        let child = branches.place(of: rowKey, isIncluded: true)
        for before in branches.all[..<child] { rank += before.rows }
        (id, level) = (branches.all[child].id, found - 1)
      }
    }
  }

  /// Select: the row of this rank, counted from 0. `nil` if there is none. One node on each level.
  package func rowKey(at rank: Int, in view: View) throws(StorageError) -> [UInt8]? {
    var found: [UInt8]?
    try forEach(from: rank, limit: 1, in: view) { row in
      found = [UInt8](copying: row)
      return false
    }
    return found
  }

  // MARK: Walks

  /// Where a walk enters a node.
  private enum Start {
    /// At the row with this rank in the node.
    case rank(Int)
    /// Ascending: at the first row not less than the key. Descending: at the last row less than the key.
    case key([UInt8])
    /// At the first row or, descending, at the last.
    case end
  }

  /// Visits rows from this rank on, in the given direction, until `body` returns false, `limit` rows have been visited
  /// or the index ends. Visits no row if the rank is too great.
  package func forEach(
    from rank: Int, limit: Int = .max, _ direction: RowDirection = .ascending, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard rank >= 0, limit > 0 else { return }
    try forEach(.rank(rank), limit, direction, in: view, body)
  }

  /// Visits rows from a key on: ascending from the first row not less than `rowKey`, or descending from the last row
  /// less than it. Ends when `body` returns false, after `limit` rows, or at the end of the index.
  package func forEach(
    at rowKey: RawSpan, limit: Int = .max, _ direction: RowDirection = .ascending, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard limit > 0 else { return }
    try forEach(.key([UInt8](copying: rowKey)), limit, direction, in: view, body)
  }

  /// The objects of the rows that consist of these bytes and a UUID.
  package func objects(beginningWith bytes: RawSpan, in view: View) throws(StorageError) -> [UniqueID] {
    var found: [UniqueID] = []
    try forEach(at: bytes, in: view) { row in
      guard row.byteCount == bytes.byteCount + 16,
        compareBytes(row.extracting(first: bytes.byteCount), bytes) == 0, let uuid = RowKey.uuid(row)
      else { return false }
      found.append(uuid)
      return true
    }
    return found
  }

  private func forEach(
    _ start: Start, _ limit: Int, _ direction: RowDirection, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var left = limit
    let nodes = view.reader(index.table)
    _ = try walk(root, nil, start, direction, nodes) { (row) throws(StorageError) in
      left -= 1
      return try body(row) && left > 0
    }
  }

  /// False once `body` has returned false.
  private func walk(
    _ id: HistoryNodeID, _ level: UInt8?, _ start: Start, _ direction: RowDirection, _ nodes: TableReader,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    switch try node(id, level, nodes) {
    case .rows(let rows): return try walk(rows, isRoot: level == nil, start, direction, body)
    case .branches(let branches, let level):
      var start = start
      var place = direction == .ascending ? 0 : branches.all.count - 1
      switch start {
      case .end: break
      case .key(let key): place = branches.place(of: key.span.bytes, isIncluded: direction == .ascending)
      case .rank(var rank):
        place = 0
        while place < branches.all.count, rank >= branches.all[place].rows {
          rank -= branches.all[place].rows
          place += 1
        }
        start = .rank(rank)
      }
      while branches.all.indices.contains(place) {
        guard try walk(branches.all[place].id, level - 1, start, direction, nodes, body) else { return false }
        start = .end
        place += direction == .ascending ? 1 : -1
      }
      return true
    }
  }

  private func walk(
    _ rows: Rows, isRoot: Bool, _ start: Start, _ direction: RowDirection,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    let isAscending = direction == .ascending
    var place = isAscending ? 0 : rows.all.count - 1
    switch start {
    case .end: break
    case .key(let key): place = rows.place(of: key.span.bytes).rank - (isAscending ? 0 : 1)
    case .rank(let rank):
      guard isRoot || rows.all.indices.contains(rank) else {
        throw history.damaged("a tree node has fewer rows than it counts")
      }
      place = rank
    }
    while rows.all.indices.contains(place) {
      guard try body(rows.keys.span.bytes.extracting(rows.all[place])) else { return false }
      place += isAscending ? 1 : -1
    }
    return true
  }
}
