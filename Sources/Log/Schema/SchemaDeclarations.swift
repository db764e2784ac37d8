/// The positions at which the log declares entities and properties. An earlier use of a number belongs to an earlier
/// declaration.
package struct SchemaDeclarations {
  package private(set) var entities: [UInt32: Position] = [:]
  package private(set) var properties: [UInt32: Position] = [:]

  package init() {}

  /// Adds a change at a position, if it declares something that the schema before does not have.
  package mutating func add(_ change: SchemaChange, at position: Position, to schema: StoredSchema) {
    switch change {
    case .entity(let number, _): if schema.entity(number: number) == nil { entities[number] = position }
    case .property(let entity, let property):
      if schema.entity(number: entity)?.property(number: property.number) == nil {
        properties[property.number] = position
      }
    case .version, .descent: break
    }
  }
}
