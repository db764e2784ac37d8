import RepriseCore
import RepriseObjectModel

/// A Swift class for an entity, with the macro `@Model`.
struct SwiftModel {
  private let entity: Entity
  private let names: SwiftNames

  init(_ entity: Entity, _ names: SwiftNames) { (self.entity, self.names) = (entity, names) }

  var lines: [String] {
    let name = names.type(entity)
    let mark = name.isSame ? "@Model" : "@Model(\(Self.literal(entity.name)))"
    var lines = ["\(mark) final class \(name.text) {"]
    lines += indexes.map { "  " + $0 }
    lines += (entity.attributes + entity.relationships).map { "  " + line($0) }
    lines.append("")
    let values = entity.attributes.compactMap(assignment)
    lines += values.isEmpty ? ["  init() {}"] : ["  init() {"] + values.map { "    " + $0 } + ["  }"]
    return lines + ["}"]
  }

  /// Indexes over several properties. An index over one property is a mark of it.
  private var indexes: [String] {
    entity.declaredProperties.compactMap { property in
      guard case .index(.columns(let columns, let uniqueness, let keepsHistory)) = property.role,
        columns.count > 1 || uniqueness == .nilsAreEqual || keepsHistory
      else { return nil }
      // Key paths have no order, and the model lacks derived attributes.
      let isPossible = columns.allSatisfy {
        $0.collation == .binary && entity.property(named: $0.name)?.isDerived == false
      }
      if !isPossible { return "// index: \(PlainText.line(property.name))" }
      var line = uniqueness == .none ? "#Index" : "#Unique"
      line += "<\(names.type(entity).text)>(["
      line += columns.map { "\\.\(names.property($0.name, of: entity).text)" }.joined(separator: ", ") + "]"
      if uniqueness == .nilsAreEqual { line += ", nilsAreEqual: true" }
      if keepsHistory { line += ", keepsHistory: true" }
      return line + ")"
    }
  }

  private func line(_ property: Property) -> String {
    let name = names.property(property.name, of: entity)
    // The store gives the property its new name.
    let was = name.isSame ? [] : ["was: \(Self.literal(property.name))"]
    switch property.kind {
    case .attribute(let kind):
      let type = Self.type(of: kind) + (property.isOptional ? "?" : "")
      if property.isDerived { return "// derived: var \(name.text): \(type)" }
      let marks = marks(of: property) + was
      return (marks.isEmpty ? "" : "@Attribute(\(marks.joined(separator: ", "))) ")
        + "var \(name.text): \(type)\(start(of: property, kind))"
    default:
      let target = property.target.map { names.type($0).text } ?? ""
      let marks = relationship(property, target) + was
      let type =
        property.kind == .toOne ? "\(target)?" : "\(property.isOrdered ? "OrderedToMany" : "ToMany")<\(target)>"
      return (marks.isEmpty ? "" : "@Relationship(\(marks.joined(separator: ", "))) ") + "var \(name.text): \(type)"
    }
  }

  private func marks(of property: Property) -> [String] {
    var marks: [String] = []
    if property.attribute?.isIndexed == true { marks.append(".indexed") }
    for index in entity.declaredProperties {
      switch index.role {
      case .index(.columns(let columns, let uniqueness, keepsHistory: false))
      where columns.count == 1 && columns[0].name == property.name && uniqueness != .nilsAreEqual:
        let mark = uniqueness == .none ? ".indexed" : ".unique"
        let collation = columns[0].collation
        marks.append(collation == .binary ? mark : "\(mark)(\(Self.expression(collation)))")
      case .index(.words(property.name)): marks.append(".searchable")
      default: break
      }
    }
    return marks
  }

  /// A collation as a program writes it.
  private static func expression(_ collation: Collation) -> String {
    let parts = collation.name.split(separator: "+").map { part in
      part.hasPrefix("locale:") ? ".locale(\(literal(String(part.dropFirst(7)))))" : ".\(part)"
    }
    return parts.count == 1 ? parts[0] : "[\(parts.joined(separator: ", "))]"
  }

  private func relationship(_ property: Property, _ target: String) -> [String] {
    var words: [String] = []
    if let inverse = property.inverse, let entity = property.target {
      words.append(
        inverse == property.name && entity === self.entity
          ? "mutual: true" : "inverse: \\\(target).\(names.property(inverse, of: entity).text)")
    }
    if let rule = property.deleteRule, rule != .nullify { words.append("deleteRule: .\(rule)") }
    return words.reversed()
  }

  /// A default that is no constant for Swift, as a statement of the initialiser.
  private func assignment(_ property: Property) -> String? {
    let name = names.property(property.name, of: entity).text
    return switch property.defaultValue {
    case .uuid(let id): "\(name) = UniqueID(\(Self.literal("\(id)")))!"
    case .date(let seconds): "\(name) = Date(timeIntervalSinceReferenceDate: \(seconds))"
    default: nil
    }
  }

  private func start(of property: Property, _ kind: AttributeKind) -> String {
    if property.isOptional && property.defaultValue == .null { return "" }
    return switch property.defaultValue {
    case .bool(let value): " = \(value)"
    case .int(let value): " = \(value)"
    case .unsigned(let value): " = \(value)"
    case .double(let value):
      value.isFinite ? " = \(value)" : value.isNaN ? " = .nan" : " = \(value < 0 ? "-" : "").infinity"
    case .string(let value): " = \(Self.literal(value))"
    case .bytes(let bytes): " = [\(bytes.map(String.init).joined(separator: ", "))]"
    default: kind == .blob ? " = .empty" : ""
    }
  }

  private static func type(of kind: AttributeKind) -> String {
    switch kind {
    case .bool: "Bool"
    case .int: "Int"
    case .unsigned: "UInt"
    case .double: "Double"
    case .string: "String"
    case .bytes: "[UInt8]"
    case .date: "Date"
    case .uuid: "UniqueID"
    case .blob: "Blob"
    }
  }

  private static func literal(_ text: String) -> String { PlainText.line(text.debugDescription) }
}
