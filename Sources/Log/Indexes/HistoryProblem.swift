/// A violated invariant of the history of an index.
package enum HistoryProblem: Sendable, Equatable, CustomStringConvertible {
  /// A row of no known form, with its key.
  case row([UInt8])
  /// A row that cannot be read.
  case unreadable(reason: String)
  /// A node that a root record or another node refers to is missing.
  case missingNode(HistoryNodeID)
  /// At the node's last position, no root leads to it.
  case strayNode(HistoryNodeID)
  /// The node is not one level below the node that refers to it.
  case level(HistoryNodeID)
  /// The node was replaced at another position than the nodes and roots above it say.
  case span(HistoryNodeID)
  /// The node above counts other rows at some position.
  case counts(HistoryNodeID)
  /// The node has rows of another node's range.
  case bounds(HistoryNodeID)
  /// At some position the history has other rows than the log makes.
  case rows

  package var description: String {
    switch self {
    case .row(let key): "it has a row of no known form (key \(hexadecimal(key)))"
    case .unreadable(let reason): reason
    case .missingNode(let node): "\(node) is missing"
    case .strayNode(let node): "no root of the tree leads to \(node)"
    case .level(let node): "\(node) is on a wrong level of the tree"
    case .span(let node): "\(node) was replaced by another transaction than its parent nodes record"
    case .counts(let node): "\(node) has another number of rows than its parent node counts"
    case .bounds(let node): "\(node) has rows outside of the key range that its parent node gives"
    case .rows: "for at least one transaction, its rows differ from the rows that follow from the log"
    }
  }
}

/// A sum over rows and the positions where they begin and end. Two histories have the same rows at each position if
/// their sums are equal: rows that one node passes on to another cancel out.
package struct RowSum: Equatable, Sendable {
  private var words: (UInt64, UInt64) = (0, 0)

  package init() {}

  package static func == (left: RowSum, right: RowSum) -> Bool { left.words == right.words }

  /// Adds the beginning of a row at a position.
  package mutating func begin(_ key: RawSpan, at position: Position) {
    let hash = Self.hash(key, position)
    words = (words.0 &+ hash.0, words.1 &+ hash.1)
  }

  /// Adds the end of a row at a position.
  package mutating func end(_ key: RawSpan, at position: Position) {
    let hash = Self.hash(key, position)
    words = (words.0 &- hash.0, words.1 &- hash.1)
  }

  package mutating func add(_ other: RowSum) {
    words = (words.0 &+ other.words.0, words.1 &+ other.words.1)
  }

  private static func hash(_ key: RawSpan, _ position: Position) -> (UInt64, UInt64) {
    var hash = SHA256()
    withUnsafeBytes(of: position.number.littleEndian) { hash.update($0) }
    key.withUnsafeBytes { hash.update($0) }
    let words = hash.finish().words
    return (words.0, words.1)
  }
}
