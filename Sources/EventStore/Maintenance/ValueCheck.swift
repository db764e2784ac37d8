import RepriseLog
import RepriseObjectModel

/// Checks the values of changes against the schema. Each must be of its property's kind, null only if the property
/// allows it, and a reference must lead to an object of the right entity.
///
/// The schema at the head is valid for every change: a property never changes its kind, its number is never reused, and
/// it can only become optional. A change before the declaration of its entity or property had another schema, which is
/// lost.
struct ValueCheck {
  private var roles: [UInt32: (name: String, role: StoredProperty.Role, declared: Position)] = [:]
  /// The transactions that declared the entities.
  private var entities: [UInt32: Position] = [:]

  init(_ schema: StoredSchema, _ declarations: SchemaDeclarations) {
    for entity in schema.entities {
      entities[entity.number] = declarations.entities[entity.number] ?? 0
      for property in entity.properties {
        roles[property.number] = (
          "\(entity.name).\(property.name)", property.role, declarations.properties[property.number] ?? 0
        )
      }
    }
  }

  /// The parts of a change that the schema at its position does not know, and the values that their properties cannot
  /// hold. Each is the end of a sentence about the object that gets them.
  func problems(_ change: Change, at position: Position) throws(MalformedBytes) -> [String] {
    var problems: [String] = []
    let entity = change.object.entity
    if let problem = Self.problem(entities[entity], at: position) {
      problems.append("the entity with the number \(entity), \(problem)")
    }
    var fields = change.fields
    while let (number, field) = try fields.next() {
      guard case .set(let old, let new) = field else { continue }
      let value = change.kind == .deleted ? old : new
      if let problem = try problem(value, number, at: position) { problems.append(problem) }
    }
    return problems
  }

  private static func problem(_ declared: Position?, at position: Position) -> String? {
    guard let declared else { return "which does not exist" }
    return declared > position ? "which only transaction \(declared) declares, a later one" : nil
  }

  private func problem(
    _ bytes: UnsafeRawBufferPointer, _ number: UInt32, at position: Position
  ) throws(MalformedBytes) -> String? {
    let known = roles[number]
    if let problem = Self.problem(known?.declared, at: position) {
      return "a value for the property with the number \(number), \(problem)"
    }
    guard let property = known, let byte = bytes.first else { return nil }
    switch (property.role, ValueTag(rawValue: byte)) {
    // Skips erased and omitted values, and tags of a later version, which this version cannot check.
    case (_, .redacted), (_, .nothing), (_, nil): return nil
    case (.attribute(_, let isOptional), .null):
      return isOptional ? nil : "no value in \(property.name), which must have one"
    case (.attribute(let kind, _), let tag?):
      return kind.tags.contains(tag) ? nil : "a value in \(property.name) that is not of the kind \(kind.name)"
    case (.toOne(_, _, _, stores: true), .null): return nil
    case (.toOne(let target, _, _, stores: true), .reference):
      var reader = ByteReader(bytes)
      reader.offset = 1
      let entity = try reader.number("an entity's number")
      return entity == target
        ? nil
        : "a reference in \(property.name) to an object of the wrong entity (number \(entity))"
    case (.columns, _), (.words, _): return "a value in \(property.name), which is an index"
    case (.toOne, _), (.toMany, _): return "a value in \(property.name) that is not a reference"
    }
  }
}

extension AttributeKind {
  /// The tags that values of this kind may have.
  fileprivate var tags: [ValueTag] {
    switch self {
    case .bool: [.no, .yes]
    case .int: [.int]
    case .unsigned: [.unsigned]
    case .double: [.double]
    case .string: [.string, .longValue]
    case .bytes: [.bytes, .longValue]
    case .date: [.date]
    case .uuid: [.uuid]
    case .blob: [.blob]
    }
  }
}
