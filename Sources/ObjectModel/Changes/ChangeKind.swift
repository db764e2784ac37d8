/// How a change affects the existence of its object.
@frozen
@usableFromInline
package enum ChangeKind: UInt8, Hashable, Sendable {
  case inserted = 1
  case updated = 2
  case deleted = 3

  /// Whether the object exists before a change of this kind.
  @inlinable @inline(__always)
  package var existsBefore: Bool {
    switch self {
    case .inserted: false
    case .updated, .deleted: true
    }
  }

  /// Whether the object exists after a change of this kind.
  @inlinable @inline(__always)
  package var existsAfter: Bool {
    switch self {
    case .inserted, .updated: true
    case .deleted: false
    }
  }

  /// Whether a change of the kind `next` can come directly after a change of this kind of the same object.
  @inlinable @inline(__always)
  package func canPrecede(_ next: ChangeKind) -> Bool { existsAfter == next.existsBefore }

  /// The kind of a change of this kind and a change of the kind `next` together. `nil` if the object exists neither
  /// before nor after the two.
  ///
  /// All code that joins changes of the log or of a draft uses this rule. If `next` cannot come after this kind, only
  /// `next` counts.
  @inlinable @inline(__always)
  package func followed(by next: ChangeKind) -> ChangeKind? {
    guard canPrecede(next) else { return next }
    if existsBefore { return next.existsAfter ? .updated : .deleted }
    return next.existsAfter ? .inserted : nil
  }
}
