/// Values by entity.
///
/// Arrays, as the indexes of interned names are small. A dictionary would cost more than what is kept in it: its type,
/// and the proof that its keys are hashable, are made anew at each start of a process.
@frozen @usableFromInline package struct EntityTable<Value> {
  @usableFromInline var values: [Value] = []
  /// By the index of the name: the place of its value, -1 where there is none.
  @usableFromInline var places: [Int] = []

  @inlinable package init() {}

  @inlinable package subscript(name: EntityName) -> Value? {
    let index = Int(name.index)
    return index < places.count && places[index] >= 0 ? values[places[index]] : nil
  }

  @inlinable package mutating func set(_ name: EntityName, _ value: Value) {
    let index = Int(name.index)
    while places.count <= index { places.append(-1) }
    if places[index] >= 0 {
      values[places[index]] = value
    } else {
      places[index] = values.count
      values.append(value)
    }
  }
}

extension EntityTable: Sendable where Value: Sendable {}
