extension ResolvedSchema {
  /// The most columns of an index.
  static let columnLimit = 16

  /// Checks the columns of the indexes that are separate properties.
  func check(indexesOf entity: Entity) throws(SchemaError) {
    for property in entity.properties {
      switch property.role {
      case .index(.columns(let columns, _, _)): try check(columns, of: property.name, entity)
      case .index(.words(let attribute)):
        let kind = try self.property(attribute, of: property.name, entity).attribute?.kind
        guard kind == .string else { throw .notSearchable(entity: entity.name, property: attribute) }
      case .attribute, .toOne, .toMany: break
      }
    }
  }

  private func check(_ columns: [IndexColumn], of index: String, _ entity: Entity) throws(SchemaError) {
    if columns.isEmpty { throw .emptyIndex(entity: entity.name) }
    guard columns.count <= Self.columnLimit else {
      throw .tooManyColumns(entity: entity.name, index: index, limit: Self.columnLimit)
    }
    var names: Set<String> = []
    for column in columns {
      let property = try property(column.name, of: index, entity)
      guard names.insert(column.name).inserted else {
        throw .repeatedColumn(entity: entity.name, index: index, column: column.name)
      }
      guard column.collation.isKnown else {
        throw .unknownLocale(entity: entity.name, index: index, locale: column.collation.locale.string)
      }
      let isStored = entity.slot(named: column.name).flatMap { relationship($0, of: entity) }?.stores ?? false
      guard property.attribute != nil || isStored else {
        throw .columnNotStored(entity: entity.name, index: index, column: column.name)
      }
      // A blob may not be one of several columns, because a row has too little room for its digest beside other
      // columns.
      guard columns.count == 1 || property.attribute?.kind != .blob else {
        throw .columnIsBlob(entity: entity.name, index: index, column: column.name)
      }
    }
  }

  private func property(_ name: String, of index: String, _ entity: Entity) throws(SchemaError) -> Property {
    guard let slot = entity.slot(named: name) else {
      throw .unknownColumn(entity: entity.name, index: index, column: name)
    }
    return entity.properties[slot]
  }
}
