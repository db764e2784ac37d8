import RepriseCore
import RepriseObjectModel

/// The entities of a store with their properties.
package struct SchemaReport {
  private let entities: [Entity]

  package init(_ store: Store) { entities = store.entities.sorted { $0.name < $1.name } }

  private struct EntityJSON: Encodable {
    let entity: String
    let properties: [PropertyJSON]
  }

  private struct PropertyJSON: Encodable {
    let name: String
    let kind: String
    let isOptional: Bool
    let isDerived: Bool
    let target: String?
    let inverse: String?
  }

  package func write(to output: Output) throws {
    for (number, entity) in entities.enumerated() {
      let properties = entity.attributes + entity.relationships
      if output.isJSON {
        let properties = properties.map { property in
          PropertyJSON(
            name: property.name, kind: property.kindName, isOptional: property.isOptional,
            isDerived: property.isDerived,
            target: property.target?.name, inverse: property.inverse)
        }
        try output.json(EntityJSON(entity: entity.name, properties: properties))
        continue
      }
      if number > 0 { try output.line() }
      try output.line(output.style.ink(.heading, PlainText.line(entity.name)))
      for property in properties { try output.line("  \(PlainText.line(property.name)): \(property.text)") }
      for index in entity.declaredProperties where index.kind == .index {
        try output.line("  \(index.isUnique ? "unique" : "index") \(PlainText.line(index.name))")
      }
    }
  }

  /// Writes models of the macro `@Model`. The store has no enums, limits and validations, so these are missing.
  package func writeSwift(to output: Output) throws {
    let attributes = entities.flatMap(\.attributes).filter { !$0.isDerived }
    if attributes.contains(where: { $0.kind == .attribute(.date) }) { try output.line("import Foundation") }
    try output.line("import Reprise")
    if entities.contains(where: \.sortsByLocale) { try output.line("import RepriseLocales") }
    let names = SwiftNames(entities)
    for entity in entities {
      try output.line()
      for line in SwiftModel(entity, names).lines { try output.line(line) }
    }
  }
}

extension Entity {
  /// Whether an index of one property has the order of a language.
  fileprivate var sortsByLocale: Bool {
    declaredProperties.contains { property in
      guard case .index(.columns(let columns, _, _)) = property.role, columns.count == 1 else { return false }
      return columns[0].collation.name.contains("locale:")
    }
  }
}

extension Property {
  fileprivate var kindName: String {
    switch kind {
    case .attribute(let kind): "\(kind)"
    case .toOne: "toOne"
    case .toMany: isOrdered ? "orderedToMany" : "toMany"
    default: "index"
    }
  }

  fileprivate var text: String {
    switch kind {
    case .attribute(let kind):
      "\(kind)" + (isOptional ? "?" : "") + (isDerived ? ", derived" : "")
        + (attribute?.isIndexed == true ? ", indexed" : "") + (defaultText.map { ", default \($0)" } ?? "")
    case .toOne: "\(PlainText.line(target?.name ?? ""))?"
    default: (isOrdered ? "ordered " : "") + "to many \(PlainText.line(target?.name ?? ""))"
    }
  }

  /// Whether no two objects may have the same values in the columns of an index.
  fileprivate var isUnique: Bool {
    if case .index(.columns(_, let uniqueness, _)) = role { uniqueness != .none } else { false }
  }

  /// The default, unless it is nil or the zero of the kind.
  private var defaultText: String? {
    guard case .attribute(let kind) = kind, defaultValue != .null, defaultValue != kind.zero else { return nil }
    return ValueText.line(defaultValue)
  }
}
