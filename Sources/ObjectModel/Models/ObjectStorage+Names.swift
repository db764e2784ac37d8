extension ObjectStorage {
  /// The visible value in a slot: the value of an attribute, or the object at the end of a to-one. Null for a to-many.
  package func shown(_ slot: Int) -> PropertyValue {
    let property = entity.properties[slot]
    if property.isToMany { return .null }
    if property.isDerived {
      for other in entity.declaredProperties.indices where entity.properties[other].attribute != nil { noteRead(other) }
      prepareValues()
      var values = self.values
      entity.derive(&values, of: uuid)
      return values[slot]
    }
    noteRead(slot)
    if property.attribute != nil { return value(slot) }
    guard let host else { return (links[slot]?.objects.first?._storage.id).map { .reference($0) } ?? .null }
    if case .reference(let id) = value(slot) { return .reference(id) }
    return (host.toOne(slot, of: self)?._storage.id).map { .reference($0) } ?? .null
  }

  /// The object at the end of a to-one.
  package func target(_ slot: Int) -> (any PersistentModel)? {
    noteRead(slot)
    return host.map { $0.toOne(slot, of: self) } ?? links[slot]?.objects.first
  }

  fileprivate var memberCounts: [(name: String, count: Int)] {
    entity.declaredProperties.enumerated().filter(\.element.isToMany).map { slot, property in
      (property.name, memberCount(slot))
    }
  }

  fileprivate var note: String {
    switch currentState {
    case .detached: ", in no context"
    case .inserted: ", not saved"
    case .live: ""
    case .deleted: ", deleted"
    case .unreadable: ", not readable"
    }
  }
}

// Not `CustomStringConvertible`, because many models have an attribute `description`, which would become the
// description of the object.
extension PersistentModel {
  /// Writes the text for `print`: the ID, attributes by name, and to-one relationships as IDs.
  ///
  /// The object is read if necessary, but no related objects are.
  public func write<Target: TextOutputStream>(to target: inout Target) {
    let storage = _storage
    target.write("\(storage.id)(")
    var separator = ""
    for (slot, property) in storage.entity.declaredProperties.enumerated() where property.hasOneValue {
      target.write("\(separator)\(property.name): \(storage.shown(slot))")
      separator = ", "
    }
    target.write("\(storage.note))")
  }

  /// The mirror for `dump`: attributes as Swift values, to-one relationships as IDs, and to-many relationships as
  /// counts.
  public var customMirror: Mirror {
    let storage = _storage
    var children: [(label: String?, value: Any)] = [("id", storage.id)]
    for (slot, property) in storage.entity.declaredProperties.enumerated() where property.hasOneValue {
      let value = storage.shown(slot)
      children.append((property.name, property.type?.shown(value) ?? value))
    }
    for (name, count) in storage.memberCounts { children.append((name, count == 1 ? "1 object" : "\(count) objects")) }
    children.append(("state", storage.currentState))
    return Mirror(self, children: children, displayStyle: .class)
  }
}

extension Property {
  fileprivate var hasOneValue: Bool { !isToMany && !isIndex }
}

extension AttributeValue {
  /// The value of the attribute's type, or the stored value if it does not belong to the type.
  fileprivate static func shown(_ value: PropertyValue) -> Any { from(value) ?? value }
}
