import RepriseObjectModel

/// The net change of each object, with the store's numbers: ``ObjectChange/followed(by:)`` without models.
struct NetChanges: Sendable {
  private var places = HashIndex()
  /// The place of the object looked up last.
  private var last = 0
  /// In the order of the objects' first edits.
  private(set) var changes: [Change] = []

  struct Change: Sendable {
    let object: ObjectAddress
    /// `nil` if no net change remains.
    var kind: EncodedEditKind?
    var fields: [Field]
  }

  /// A property that returned to its first value is kept, because later splices refer to it; it is not a change.
  struct Field: NetField, Sendable {
    let number: UInt32
    var old: DraftValue
    var new: DraftValue

    var isChange: Bool { !old.isIdentical(to: new) }
  }

  mutating func reserve(_ count: Int) {
    places.reserve(count)
    changes.reserveCapacity(count)
  }

  private func known(_ object: ObjectAddress) -> Int? {
    places.place(object.uuid.spread) { changes[$0].object == object }
  }

  func change(_ object: ObjectAddress) -> Change? { known(object).map { changes[$0] } }

  /// The value that the draft last assigned to a property; `nil` if it never did.
  func value(_ object: ObjectAddress, _ number: UInt32) -> DraftValue? {
    guard let place = known(object), let kind = changes[place].kind, kind != .deleted else { return nil }
    return changes[place].fields.first { $0.number == number }?.new
  }

  mutating func put(_ change: Change) {
    if let place = known(change.object) {
      changes[place] = change
    } else {
      places.insert(change.object.uuid.spread, changes.count)
      changes.append(change)
    }
  }

  /// The place of the object's change, which is created if necessary.
  private mutating func place(_ object: ObjectAddress) -> Int {
    // Most edits are of the same object as the previous one.
    if last < changes.count, changes[last].object == object { return last }
    last = known(object) ?? changes.count
    if last == changes.count {
      places.insert(object.uuid.spread, last)
      changes.append(Change(object: object, kind: nil, fields: []))
    }
    return last
  }

  mutating func insert(_ object: ObjectAddress, _ values: [(UInt32, DraftValue)]) {
    let place = place(object)
    if changes[place].kind == .deleted {
      // Deletion and reinsertion amount to an update.
      var fields: [Field] = []
      for (number, new) in values {
        let old = changes[place].fields.first { $0.number == number }?.old
        fields.append(Field(number: number, old: old ?? .null, new: new))
      }
      for gone in changes[place].fields where !values.contains(where: { $0.0 == gone.number }) {
        fields.append(Field(number: gone.number, old: gone.old, new: .null))
      }
      changes[place] = Change(object: object, kind: .updated, fields: fields)
    } else {
      changes[place] = Change(
        object: object, kind: .inserted, fields: values.map { Field(number: $0.0, old: .null, new: $0.1) })
    }
  }

  mutating func delete(_ object: ObjectAddress, _ values: [(UInt32, DraftValue)]) {
    let place = place(object)
    if changes[place].kind == .inserted {
      changes[place] = Change(object: object, kind: nil, fields: [])
      return
    }
    let touched = changes[place].kind == .updated ? changes[place].fields : []
    let fields = values.map { number, value in
      let known = touched.first { $0.number == number && $0.new.isIdentical(to: value) }
      return Field(number: number, old: known?.old ?? value, new: .null)
    }
    changes[place] = Change(object: object, kind: .deleted, fields: fields)
  }

  mutating func set(_ object: ObjectAddress, _ number: UInt32, from old: DraftValue, to new: DraftValue) {
    let place = place(object)
    if changes[place].kind == nil || changes[place].kind == .deleted {
      changes[place] = Change(object: object, kind: .updated, fields: [Field(number: number, old: old, new: new)])
    } else if let index = changes[place].fields.firstIndex(where: { $0.number == number }) {
      let isNext = changes[place].fields[index].new.isIdentical(to: old)
      changes[place].fields[index].follow(from: old, to: new, beginsWhereThisEnded: isNext)
    } else {
      changes[place].fields.append(Field(number: number, old: old, new: new))
    }
  }

  /// Splices a text in place. False if the draft has no value for the property, or if `isRight` rejects it.
  mutating func splice(
    _ object: ObjectAddress, _ number: UInt32, _ splice: OwnedSplice, where isRight: (DraftValue) -> Bool
  ) -> Bool {
    guard let place = known(object), let kind = changes[place].kind, kind != .deleted,
      let index = changes[place].fields.firstIndex(where: { $0.number == number }),
      isRight(changes[place].fields[index].new)
    else { return false }
    splice.apply(to: &changes[place].fields[index].new.content)
    return true
  }
}

extension NetChanges.Change {
  var isChange: Bool {
    switch kind {
    case .inserted, .deleted: true
    case .updated: fields.contains(where: \.isChange)
    case nil: false
    }
  }
}
