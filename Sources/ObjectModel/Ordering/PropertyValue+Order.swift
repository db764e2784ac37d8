/// The order of two values.
@frozen
package enum ValueOrder: Int8, Hashable, Sendable {
  case before = -1
  case same = 0
  case after = 1

  package init<Value: Comparable>(_ left: Value, against right: Value) {
    self = left == right ? .same : left < right ? .before : .after
  }

  /// The order of two sequences. The first difference decides. Without one, the shorter comes first.
  package init<Left: Sequence, Right: Sequence>(
    of left: Left, against right: Right
  ) where Left.Element: Comparable, Left.Element == Right.Element {
    var (left, right) = (left.makeIterator(), right.makeIterator())
    while true {
      switch (left.next(), right.next()) {
      case (nil, nil): self = .same
      case (nil, _): self = .before
      case (_, nil): self = .after
      case (let l?, let r?):
        if l == r { continue }
        self = l < r ? .before : .after
      }
      return
    }
  }
}

extension PropertyValue {
  /// The order of values, as conditions compare them, indexes have them and lists sort them: by the whole value.
  ///
  /// nil comes first. -0 equals 0, and all NaNs are equal and greater than any number. Texts sort by the scalars of
  /// their composed forms, so canonically equivalent texts are equal. Values of different kinds sort by kind, in the
  /// order of ``OrderKey``.
  package func order(against other: PropertyValue) -> ValueOrder {
    switch (self, other) {
    case (.string(let l), .string(let r)): ComposedText.order(l, r)
    case (.bytes(let l), .bytes(let r)): ValueOrder(of: l, against: r)
    case (.bool(let l), .bool(let r)): ValueOrder(l ? 1 : 0, against: r ? 1 : 0)
    case (.int(let l), .int(let r)): ValueOrder(l, against: r)
    case (.unsigned(let l), .unsigned(let r)): ValueOrder(l, against: r)
    case (.double(let l), .double(let r)), (.date(let l), .date(let r)):
      ValueOrder(OrderKey.ordered(l), against: OrderKey.ordered(r))
    case (.uuid(let l), .uuid(let r)): ValueOrder(l, against: r)
    case (.reference(let l), .reference(let r)): ValueOrder(l.uuid, against: r.uuid)
    case (.blob(let l), .blob(let r)): l.order(against: r)
    default: ValueOrder(orderTag.rawValue, against: other.orderTag.rawValue)
    }
  }

  private var orderTag: OrderKey.Tag {
    switch self {
    case .null: .null
    case .string: .string
    case .bytes: .bytes
    case .bool: .bool
    case .int: .int
    case .unsigned: .unsigned
    case .double: .double
    case .date: .date
    case .uuid: .uuid
    case .reference: .reference
    case .blob: .blob
    }
  }
}

extension Blob {
  /// An order without meaning, for indexes: by digest, then by length.
  fileprivate func order(against other: Blob) -> ValueOrder {
    let (left, right) = (words, other.words)
    if left.0 != right.0 { return ValueOrder(left.0, against: right.0) }
    if left.1 != right.1 { return ValueOrder(left.1, against: right.1) }
    if left.2 != right.2 { return ValueOrder(left.2, against: right.2) }
    if left.3 != right.3 { return ValueOrder(left.3, against: right.3) }
    return ValueOrder(UInt64(byteCount), against: UInt64(other.byteCount))
  }
}
