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
    case .row(let key): "it has a row of no known form, with the key \(hexadecimal(key))"
    case .unreadable(let reason): reason
    case .missingNode(let node): "\(Self.name(node)) is missing"
    case .strayNode(let node): "no root leads to \(Self.name(node))"
    case .level(let node): "\(Self.name(node)) is on a wrong level"
    case .span(let node): "\(Self.name(node)) ends at another position than the nodes above it record"
    case .counts(let node): "\(Self.name(node)) has other rows than the node above it counts"
    case .bounds(let node): "\(Self.name(node)) has rows outside of its range"
    case .rows: "at some position it has other rows than the log makes"
    }
  }

  private static func name(_ node: HistoryNodeID) -> String { "node \(node.number) of position \(node.born)" }
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
