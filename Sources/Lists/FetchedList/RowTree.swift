import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel

/// The objects of a list in its order: a persistent order-statistic B+ tree. For each object it has the 16 bytes of its
/// UUID and one byte of its sort key. Each leaf has only one whole key. Versions share all equal nodes.
///
/// A sort key leads to a leaf, which is searched for the object's UUID. So finding an object's place costs O(log n) and
/// reads nothing. A new row is placed within its leaf by ``RowHints``, and by reading the keys of rows with the same
/// hint.
struct RowTree {
  enum Failure: Error {
    case store(StoreError)
    /// The changes do not fit the rows.
    case inconsistent
  }

  /// The sort key of a row. `nil` if there is no such object.
  typealias KeyReader = (UniqueID) throws(StoreError) -> [UInt8]?

  private let root: RowNode?

  private init(root: RowNode?) { self.root = root }

  /// No rows.
  static var empty: RowTree { RowTree(root: nil) }

  /// Makes a tree of all rows. O(n).
  init(_ keys: SortedKeys) { self.init(keys, at: 0..<keys.count) }

  /// Makes a tree of the rows with these ascending numbers. O(n).
  init(_ keys: SortedKeys, at numbers: some RandomAccessCollection<Int>) {
    let leaves = RowNode.pieces(of: numbers.count, atMost: RowLeaf.fill).map { range in
      let numbers = range.map { numbers[numbers.index(numbers.startIndex, offsetBy: $0)] }
      let leafKeys = numbers.map { keys.key(at: $0) }
      return RowNode.leaf(RowLeaf(leafKeys[0], rows: numbers.map { keys.uuid(at: $0) }, RowHints(leafKeys)))
    }
    root = Self.root(over: leaves)
  }

  var count: Int { root?.count ?? 0 }

  /// The approximate memory of the nodes. Versions of a tree share most of it.
  var memoryInBytes: Int { root?.memoryInBytes ?? 0 }

  /// The object with this many objects before it. `nil` if there are fewer rows.
  func row(at rank: Int) -> UniqueID? {
    var rank = rank
    var node = root
    while let next = node {
      switch next {
      case .leaf(let leaf): return leaf.rows.indices.contains(rank) ? leaf.rows[rank] : nil
      case .inner(let inner):
        let index = inner.child(atRank: rank)
        rank -= inner.start(of: index)
        node = inner.children[index]
      }
    }
    return nil
  }

  /// The objects of these ranks, which must exist. One descent for each leaf.
  func rows(at range: Range<Int>) -> [UniqueID] {
    var rows: [UniqueID] = []
    rows.reserveCapacity(range.count)
    while rows.count < range.count {
      let found = leafRows(from: range.lowerBound + rows.count)
      if found.isEmpty { break }
      rows += found.prefix(range.count - rows.count)
    }
    return rows
  }

  /// The rows of a leaf from this rank on.
  private func leafRows(from rank: Int) -> ArraySlice<UniqueID> {
    var rank = rank
    var node = root
    while let next = node {
      switch next {
      case .leaf(let leaf): return leaf.rows.dropFirst(rank)
      case .inner(let inner):
        let index = inner.child(atRank: rank)
        rank -= inner.start(of: index)
        node = inner.children[index]
      }
    }
    return []
  }

  /// The number of objects before the one with this sort key. `nil` if it is not in the tree. O(log n).
  func rank(of uuid: UniqueID, key: [UInt8]) -> Int? {
    var rank = 0
    var node = root
    while let next = node {
      switch next {
      case .leaf(let leaf): return leaf.rows.firstIndex(of: uuid).map { rank + $0 }
      case .inner(let inner):
        let index = inner.child(for: key)
        rank += inner.start(of: index)
        node = inner.children[index]
      }
    }
    return nil
  }

  /// The insertion or removal of one object.
  struct Edit {
    let key: [UInt8]
    let uuid: UniqueID
    let isInsertion: Bool
  }

  /// The tree after edits with different keys. O(d log n), and some reads for each insertion.
  ///
  /// - Parameter key: Reads the sort key of a row that is not edited.
  func applying(_ edits: [Edit], _ key: KeyReader) throws(Failure) -> RowTree {
    if edits.isEmpty { return self }
    let edits = edits.sorted { $0.key.precedes($1.key) }
    let root = if let root { root } else { RowNode.leaf(RowLeaf(edits[0].key, rows: [], .none)) }
    return RowTree(root: Self.root(over: try root.applying(edits[...], key)))
  }

  /// The tree after changes of rows. Each change receives its ranks.
  func applying(changes: inout [RowChange], _ key: KeyReader) throws(Failure) -> RowTree {
    var edits: [Edit] = []
    for change in changes where !change.stays {
      if let key = change.oldKey { edits.append(Edit(key: key, uuid: change.uuid, isInsertion: false)) }
      if let key = change.newKey { edits.append(Edit(key: key, uuid: change.uuid, isInsertion: true)) }
    }
    let tree = try applying(edits, key)
    for index in changes.indices {
      let change = changes[index]
      if let key = change.oldKey {
        guard let rank = rank(of: change.uuid, key: key) else { throw .inconsistent }
        changes[index].oldRank = rank
      }
      if let key = change.newKey, !change.stays {
        guard let rank = tree.rank(of: change.uuid, key: key) else { throw .inconsistent }
        changes[index].newRank = rank
      }
    }
    return tree
  }

  private static func root(over nodes: [RowNode]) -> RowNode? {
    var nodes = nodes
    while nodes.count > 1 { nodes = RowInner.grouped(nodes) }
    guard var root = nodes.first else { return nil }
    while case .inner(let inner) = root, inner.children.count == 1 { root = inner.children[0] }
    return root
  }
}
