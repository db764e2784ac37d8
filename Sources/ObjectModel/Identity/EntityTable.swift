/// Values by entity.
///
/// An array, as the indexes of interned names are small. A dictionary would cost more than what is kept in it: its
/// type, and the proof that its keys are hashable, are made anew at each start of a process.
@frozen @usableFromInline package struct EntityTable<Value> {
  @usableFromInline var values: [Value?] = []

  @inlinable package init() {}

  package subscript(name: EntityName) -> Value? {
    @inlinable get {
      let index = Int(name.index)
      return index < values.count ? values[index] : nil
    }
    @inlinable set {
      let index = Int(name.index)
      if index >= values.count { values += Array(repeating: nil, count: index + 1 - values.count) }
      values[index] = newValue
    }
  }
}

extension EntityTable: Sendable where Value: Sendable {}
