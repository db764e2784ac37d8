/// The change of one attribute or to-one relationship: the old and the new value.
package struct PropertyChange: Equatable, Sendable {
  package var slot: Int
  package var old: PropertyValue
  package var new: PropertyValue

  package init(slot: Int, old: PropertyValue, new: PropertyValue) {
    self.slot = slot
    self.old = old
    self.new = new
  }
}

/// The change of one object: the net content of an overlay, or an event before it has a place in the log.
///
/// Values are by slot. An update lists its changes by ascending slot, each once, none with equal old and new bytes.
package enum ObjectChange: Equatable, Sendable {
  /// The object began to exist, with these values.
  case inserted(ContiguousArray<PropertyValue>)
  /// Some properties changed.
  case updated([PropertyChange])
  /// The object ceased to exist. The case has its last values.
  case deleted(ContiguousArray<PropertyValue>)
}

extension ObjectChange {
  /// This change, then `next`. `nil` if nothing remains of the two.
  ///
  /// ``ChangeKind/followed(by:)`` decides about the kind. If `next` begins with another value than this change ended
  /// with, the value below has changed meanwhile, and this change had no net effect. Then only `next` counts.
  package func followed(by next: ObjectChange) -> ObjectChange? {
    switch kind.followed(by: next.kind) {
    case nil: return nil
    case .inserted:
      guard case (.inserted(var values), .updated(let changes)) = (self, next) else { return next }
      for change in changes { values[change.slot] = change.new }
      return .inserted(values)
    case .updated:
      switch (self, next) {
      case (.updated(let first), .updated(let second)): return .updated(merging: first, second)
      case (.deleted(let old), .inserted(let new)): return .updated(from: old, to: new)
      default: return next
      }
    case .deleted:
      guard case (.updated(let changes), .deleted(var values)) = (self, next) else { return next }
      for change in changes where values[change.slot].isIdentical(to: change.new) { values[change.slot] = change.old }
      return .deleted(values)
    }
  }

  package var kind: ChangeKind {
    switch self {
    case .inserted: .inserted
    case .updated: .updated
    case .deleted: .deleted
    }
  }

  /// The change that undoes this one.
  package var inverse: ObjectChange {
    switch self {
    case .inserted(let values): .deleted(values)
    case .deleted(let values): .inserted(values)
    case .updated(let changes): .updated(changes.map { PropertyChange(slot: $0.slot, old: $0.new, new: $0.old) })
    }
  }

  package var isInsertion: Bool { if case .inserted = self { true } else { false } }
  package var isDeletion: Bool { if case .deleted = self { true } else { false } }

  /// The objects that an inserted or deleted object refers to, by slot.
  package var references: [AnyObjectID] {
    switch self {
    case .inserted(let values), .deleted(let values): values.compactMap(\.reference)
    case .updated: []
    }
  }

  /// The references that this change makes, by slot.
  package var newReferences: [(slot: Int, target: AnyObjectID)] {
    var references: [(slot: Int, target: AnyObjectID)] = []
    switch self {
    case .inserted(let values):
      for slot in values.indices { if case .reference(let target) = values[slot] { references.append((slot, target)) } }
    case .updated(let changes):
      for change in changes { if case .reference(let target) = change.new { references.append((change.slot, target)) } }
    case .deleted: break
    }
    return references
  }

  /// Calls `body` with each reference before this change and after it.
  package func eachReference(_ body: (_ slot: Int, _ target: AnyObjectID) -> Void) {
    switch self {
    case .inserted(let values), .deleted(let values):
      for slot in values.indices { if case .reference(let target) = values[slot] { body(slot, target) } }
    case .updated(let changes):
      for change in changes {
        if case .reference(let target) = change.old { body(change.slot, target) }
        if case .reference(let target) = change.new { body(change.slot, target) }
      }
    }
  }

  /// Whether both changes have the same values, byte for byte.
  package func isIdentical(to other: ObjectChange) -> Bool {
    switch (self, other) {
    case (.inserted(let l), .inserted(let r)), (.deleted(let l), .deleted(let r)):
      l.count == r.count && ObjectChange.updated(from: l, to: r) == nil
    case (.updated(let l), .updated(let r)):
      l.count == r.count
        && zip(l, r).allSatisfy {
          $0.slot == $1.slot && $0.old.isIdentical(to: $1.old) && $0.new.isIdentical(to: $1.new)
        }
    default: false
    }
  }

  /// The differences of two states. `nil` if there are none.
  package static func updated(
    from old: ContiguousArray<PropertyValue>, to new: ContiguousArray<PropertyValue>
  ) -> ObjectChange? {
    var changes: [PropertyChange] = []
    for slot in new.indices where !old[slot].isIdentical(to: new[slot]) {
      changes.append(PropertyChange(slot: slot, old: old[slot], new: new[slot]))
    }
    return changes.isEmpty ? nil : .updated(changes)
  }

  private static func updated(merging first: [PropertyChange], _ second: [PropertyChange]) -> ObjectChange? {
    var merged: [PropertyChange] = []
    merged.reserveCapacity(first.count + second.count)
    var left = first[...]
    var right = second[...]
    while let next = left.first?.slot ?? right.first?.slot {
      if let l = left.first, let r = right.first, l.slot == r.slot {
        let old = l.new.isIdentical(to: r.old) ? l.old : r.old
        if !old.isIdentical(to: r.new) { merged.append(PropertyChange(slot: l.slot, old: old, new: r.new)) }
        left.removeFirst()
        right.removeFirst()
      } else if let r = right.first, r.slot < next || left.isEmpty {
        merged.append(r)
        right.removeFirst()
      } else if let l = left.popFirst() {
        merged.append(l)
      }
    }
    return merged.isEmpty ? nil : .updated(merged)
  }

  /// The state after this change of an object whose state before was `values`. `nil` if the object does not exist in a
  /// state.
  package func applied(to values: ContiguousArray<PropertyValue>?) -> ContiguousArray<PropertyValue>? {
    switch self {
    case .inserted(let values): return values
    case .deleted: return nil
    case .updated(let changes):
      guard var values else { return nil }
      for change in changes { values[change.slot] = change.new }
      return values
    }
  }
}
