/// Values by entity.
///
/// It uses arrays, because the indexes of interned names are small. A dictionary would cost more than its contents,
/// because its metadata and its keys' conformance to `Hashable` are instantiated at each start of a process.
@frozen @usableFromInline package struct EntityTable<Value> {
  @usableFromInline var values: [Value] = []
  /// The index in `values` by the index of the name, or -1.
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
