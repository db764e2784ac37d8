/// Values by entity.
///
/// An array, as the indexes of interned names are small. A dictionary would cost more than what is kept in it: its
/// type, and the proof that its keys are hashable, are made anew at each start of a process.
package struct EntityTable<Value> {
  private var values: [Value?] = []

  package init() {}

  package subscript(name: EntityName) -> Value? {
    get {
      let index = Int(name.index)
      return index < values.count ? values[index] : nil
    }
    set {
      let index = Int(name.index)
      if index >= values.count { values += Array(repeating: nil, count: index + 1 - values.count) }
      values[index] = newValue
    }
  }
}

extension EntityTable: Sendable where Value: Sendable {}
