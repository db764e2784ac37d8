import RepriseCore
import RepriseObjectModel

/// A Swift class for an entity, with the macro `@Model`.
struct SwiftModel {
  private let entity: Entity

  init(_ entity: Entity) { self.entity = entity }

  var lines: [String] {
    let name = SwiftName(entity.name, isType: true)
    let mark = name.isSame ? "@Model" : "@Model(\(Self.literal(entity.name)))"
    var lines = ["\(mark) final class \(name.text) {"]
    lines += indexes.map { "  " + $0 }
    lines += (entity.attributes + entity.relationships).map { "  " + line($0) }
    lines.append("")
    lines.append("  init() {}")
    return lines + ["}"]
  }

  /// Indexes over several properties. An index over one property is a mark of it.
  private var indexes: [String] {
    entity.declaredProperties.compactMap { property in
      guard case .index(.columns(let columns, let uniqueness, let keepsHistory)) = property.role,
        columns.count > 1 || uniqueness == .nilsAreEqual
      else { return nil }
      var line = uniqueness == .none ? "#Index" : "#Unique"
      line += "<\(SwiftName(entity.name, isType: true).text)>(["
      line += columns.map { "\\.\(SwiftName($0.name).text)" }.joined(separator: ", ") + "]"
      if uniqueness == .nilsAreEqual { line += ", nilsAreEqual: true" }
      if keepsHistory { line += ", keepsHistory: true" }
      return line + ")"
    }
  }

  private func line(_ property: Property) -> String {
    let name = SwiftName(property.name)
    let note = name.isSame ? "" : "  // in the store: \(PlainText.line(property.name))"
    let target = property.target.map { SwiftName($0.name, isType: true).text } ?? ""
    switch property.kind {
    case .attribute(let kind):
      let type = Self.type(of: kind) + (property.isOptional ? "?" : "")
      if property.isDerived { return "// derived: var \(name.text): \(type)\(note)" }
      return marks(of: property) + "var \(name.text): \(type)\(start(of: property, kind))\(note)"
    case .toOne: return relationship(property, target) + "var \(name.text): \(target)?\(note)"
    default:
      return relationship(property, target)
        + "var \(name.text): \(property.isOrdered ? "OrderedToMany" : "ToMany")<\(target)>\(note)"
    }
  }

  private func marks(of property: Property) -> String {
    var marks: [String] = []
    if property.attribute?.isIndexed == true { marks.append(".indexed") }
    for index in entity.declaredProperties {
      switch index.role {
      case .index(.columns(let columns, let uniqueness, _))
      where columns.count == 1 && columns[0].name == property.name:
        if uniqueness == .nilsDiffer {
          marks.append(".unique")
        } else if uniqueness == .none {
          marks.append(".indexed")
        }
      case .index(.words(property.name)): marks.append(".searchable")
      default: break
      }
    }
    return marks.isEmpty ? "" : "@Attribute(\(marks.joined(separator: ", "))) "
  }

  private func relationship(_ property: Property, _ target: String) -> String {
    var words: [String] = []
    if let inverse = property.inverse {
      words.append(
        inverse == property.name && property.target === entity
          ? "mutual: true" : "inverse: \\\(target).\(SwiftName(inverse).text)")
    }
    if let rule = property.deleteRule, rule != .nullify { words.append("deleteRule: .\(rule)") }
    return words.isEmpty ? "" : "@Relationship(\(words.joined(separator: ", "))) "
  }

  private func start(of property: Property, _ kind: AttributeKind) -> String {
    if property.isOptional && property.defaultValue == .null { return "" }
    return switch property.defaultValue {
    case .bool(let value): " = \(value)"
    case .int(let value): " = \(value)"
    case .unsigned(let value): " = \(value)"
    case .double(let value) where value.isFinite: " = \(value)"
    case .string(let value): " = \(Self.literal(value))"
    case .date(let value): " = Date(timeIntervalSinceReferenceDate: \(value))"
    default: kind == .bytes ? " = []" : kind == .blob ? " = .empty" : ""
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

/// A name of the store as Swift can spell it.
package struct SwiftName {
  package let text: String
  /// Whether it is the name in the store.
  package let isSame: Bool

  package init(_ name: String, isType: Bool = false) {
    let isPlain =
      !name.isEmpty && name.first?.isNumber == false && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    guard !isPlain else {
      (text, isSame) = (Self.words.contains(name) ? "`\(name)`" : name, true)
      return
    }
    let words = name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    var joined = words.enumerated().map { $0 == 0 && !isType ? $1 : $1.prefix(1).uppercased() + $1.dropFirst() }
      .joined()
    if joined.first?.isNumber ?? true { joined = "_" + joined }
    (text, isSame) = (joined, false)
  }

  /// The words that are no names in a declaration.
  private static let words: Set = [
    "Any", "Self", "as", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat", "rethrows",
    "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while",
  ]
}
