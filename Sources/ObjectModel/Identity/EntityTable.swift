/// Values by entity.
///
/// Arrays, as the indexes of interned names are small. A dictionary would cost more than its contents: its metadata,
/// and its keys' conformance to `Hashable`, are instantiated at each start of a process.
@frozen @usableFromInline package struct EntityTable<Value> {
  @usableFromInline var values: [Value] = []
  /// By the index of the name: the index of its value, or -1.
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
