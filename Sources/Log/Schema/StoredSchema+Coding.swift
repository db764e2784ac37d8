import RepriseObjectModel

extension StoredSchema {
  /// The schema as stored in the table `meta`.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 64 + 64 * entities.count)
    writer.varint(UInt64(revision))
    writer.varint(entities.count)
    for entity in entities {
      writer.varint(UInt64(entity.number))
      writer.string(entity.name)
      writer.varint(entity.properties.count)
      for property in entity.properties { writer.property(property) }
    }
    return writer.sealed()
  }

  package init(encoded bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    self.init()
    var reader = try ByteReader(sealed: bytes)
    revision = try reader.schemaRevision()
    for _ in 0..<(try reader.count(of: 3, "the number of entities")) {
      let number = try reader.schemaNumber("an entity's number")
      guard number > entities.last?.number ?? 0 else { throw reader.fail("a greater entity number") }
      var entity = StoredEntity(number: number, name: try reader.string("an entity's name"), properties: [])
      for _ in 0..<(try reader.count(of: 5, "the number of properties")) {
        let property = try reader.property()
        guard property.number > entity.properties.last?.number ?? 0 else {
          throw reader.fail("a property number that is greater than the one before")
        }
        entity.properties.append(property)
      }
      entities.append(entity)
    }
    try reader.expectEnd("the end of the schema")
  }

  /// The revision of an encoded schema, which stands first.
  static func revision(ofEncoded bytes: UnsafeRawBufferPointer) throws(MalformedBytes) -> UInt32 {
    var reader = try ByteReader(sealed: bytes)
    return try reader.schemaRevision()
  }
}

extension ByteReader {
  /// Not the greatest number, because a change of the schema adds 1.
  mutating func schemaRevision() throws(MalformedBytes) -> UInt32 {
    let revision = try number("a schema revision")
    guard revision < .max else { throw fail("a schema revision") }
    return revision
  }

  /// Not one of the greatest numbers, because a new index gets the number after it.
  package mutating func indexNumber() throws(MalformedBytes) -> UInt32 {
    let number = try number("an index's number")
    guard number < .max - 1 << 20 else { throw fail("an index's number") }
    return number
  }
}

extension DeleteRule {
  /// The rule that other programs see. A save checks only the rules that its own program declares.
  fileprivate var stored: DeleteRule { leavesReferences ? .nullify : self }
}

/// The first byte of a property's role.
private enum RoleTag: UInt8 {
  case attribute = 1
  case toOne = 2
  case toMany = 3
  case columns = 4
  case words = 5
  case unique = 6
  case uniqueWithNil = 7
  case columnsWithHistory = 8
  case uniqueWithHistory = 9
  case uniqueWithNilAndHistory = 10
}

extension RoleTag {
  /// The tag of an index over columns.
  init(_ uniqueness: Uniqueness, keepsHistory: Bool) {
    switch uniqueness {
    case .none: self = keepsHistory ? .columnsWithHistory : .columns
    case .nilsDiffer: self = keepsHistory ? .uniqueWithHistory : .unique
    case .nilsAreEqual: self = keepsHistory ? .uniqueWithNilAndHistory : .uniqueWithNil
    }
  }

  var uniqueness: Uniqueness {
    switch self {
    case .unique, .uniqueWithHistory: .nilsDiffer
    case .uniqueWithNil, .uniqueWithNilAndHistory: .nilsAreEqual
    case .attribute, .toOne, .toMany, .columns, .words, .columnsWithHistory: .none
    }
  }

  var keepsHistory: Bool {
    switch self {
    case .columnsWithHistory, .uniqueWithHistory, .uniqueWithNilAndHistory: true
    case .attribute, .toOne, .toMany, .columns, .words, .unique, .uniqueWithNil: false
    }
  }
}

extension ByteWriter {
  mutating func property(_ property: StoredProperty) {
    varint(UInt64(property.number))
    string(property.name)
    varint(UInt64(property.index ?? 0))
    switch property.role {
    case .attribute(let kind, let isOptional):
      append(RoleTag.attribute.rawValue)
      append(kind.rawValue)
      append(isOptional ? 1 : 0)
      scalar(property.defaultValue)
    case .toOne(let target, let inverse, let deleteRule, let stores):
      append(RoleTag.toOne.rawValue)
      varint(UInt64(target))
      varint(UInt64(inverse))
      append(deleteRule.stored.rawValue)
      append(stores ? 1 : 0)
    case .toMany(let target, let inverse, let deleteRule):
      append(RoleTag.toMany.rawValue)
      varint(UInt64(target))
      varint(UInt64(inverse))
      append(deleteRule.stored.rawValue)
    case .columns(let columns, let uniqueness):
      append(RoleTag(uniqueness, keepsHistory: property.keepsHistory).rawValue)
      varint(columns.count)
      for column in columns {
        varint(UInt64(column.property))
        string(column.collation.name)
      }
    case .words(let attribute, let version):
      append(RoleTag.words.rawValue)
      varint(UInt64(attribute))
      varint(UInt64(version))
    }
  }
}

extension ByteReader {
  mutating func property() throws(MalformedBytes) -> StoredProperty {
    let number = try schemaNumber("a property's number")
    let name = try string("a property's name")
    let index = try indexNumber()
    let role: StoredProperty.Role
    var defaultValue = PropertyValue.null
    let tag = RoleTag(rawValue: try byte("a property's role"))
    switch tag {
    case .attribute:
      guard let kind = AttributeKind(rawValue: try byte("an attribute's kind")) else {
        throw fail("an attribute's kind")
      }
      role = .attribute(kind, isOptional: try flag("the flag of an optional attribute"))
      defaultValue = try scalar()
      guard defaultValue.isNull || kind.accepts(defaultValue) else { throw fail("a default of the attribute's kind") }
    case .toOne:
      role = .toOne(
        target: try schemaNumber("an entity's number"), inverse: try schemaNumber("a property's number"),
        deleteRule: try deleteRule(), stores: try flag("whether it is stored"))
    case .toMany:
      role = .toMany(
        target: try schemaNumber("an entity's number"), inverse: try schemaNumber("a property's number"),
        deleteRule: try deleteRule())
    case .columns, .unique, .uniqueWithNil, .columnsWithHistory, .uniqueWithHistory, .uniqueWithNilAndHistory:
      var columns: [StoredColumn] = []
      for _ in 0..<(try count(of: 2, "the number of columns")) { columns.append(try column()) }
      role = .columns(columns, uniqueness: tag?.uniqueness ?? .none)
    case .words:
      role = .words(
        attribute: try schemaNumber("a property's number"), version: try self.number("a version of words"))
    case nil: throw fail("a property's role")
    }
    var property = StoredProperty(
      number: number, name: name, role: role, index: index == 0 ? nil : index, defaultValue: defaultValue)
    property.keepsHistory = tag?.keepsHistory ?? false
    return property
  }

  private mutating func column() throws(MalformedBytes) -> StoredColumn {
    let property = try schemaNumber("a property's number")
    guard let collation = Collation(name: try string("a collation")) else { throw fail("a collation") }
    return StoredColumn(property: property, collation: collation)
  }

  /// Numbers start at 1.
  package mutating func schemaNumber(_ what: StaticString) throws(MalformedBytes) -> UInt32 {
    let number = try number(what)
    guard number > 0, number < StoredEntity.limit else { throw fail(what) }
    return number
  }

  private mutating func flag(_ what: StaticString) throws(MalformedBytes) -> Bool {
    switch try byte(what) {
    case 0: return false
    case 1: return true
    default: throw fail(what)
    }
  }

  private mutating func deleteRule() throws(MalformedBytes) -> DeleteRule {
    guard let rule = DeleteRule(rawValue: try byte("a delete rule")), rule == rule.stored else {
      throw fail("a delete rule")
    }
    return rule
  }
}
