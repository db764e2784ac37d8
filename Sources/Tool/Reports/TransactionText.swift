import Foundation
import RepriseCore
import RepriseObjectModel

extension ValueText {
  /// A time of the log.
  package static func time(_ microseconds: Int64) -> String {
    // 978,307,200 seconds from 1970 to 2001.
    date((Double(microseconds) / 1_000_000).rounded(.down) - 978_307_200)
  }
}

/// A transaction as people and programs read it.
struct TransactionText: Encodable {
  let position: UInt64
  let id: String
  let time: String
  let author: String?
  let context: String?
  let name: String?
  let metadata: [String: String]?
  let undoes: UInt64?
  let changes: [ChangeText]

  init(
    _ transaction: LoggedTransaction, of store: Store, _ isWanted: (LoggedTransaction.Change) -> Bool = { _ in true }
  ) {
    position = transaction.position.number
    id = transaction.id.description
    time = ValueText.time(transaction.microseconds)
    author = transaction.author
    context = transaction.contextName
    name = transaction.name
    metadata = transaction.metadata.isEmpty ? nil : transaction.metadata
    undoes = transaction.undoes?.number
    changes = transaction.changes.filter(isWanted).map { ChangeText($0, of: store) }
  }

  /// The position, the time, the author and the name.
  func title(_ style: Style) -> String {
    var words = [style.ink(.place, "@\(position)"), style.ink(.faint, time)]
    if let author { words.append(style.ink(.name, PlainText.line(author))) }
    if let name { words.append("\"\(PlainText.line(name))\"") }
    if let undoes { words.append("undoes @\(undoes)") }
    if changes.isEmpty, name == nil { words.append(style.ink(.faint, "the schema")) }
    return words.joined(separator: "  ")
  }

  /// The numbers of changes by entity: `Note +1 ~2`.
  func counts(_ style: Style) -> String {
    var counts: [String: [LoggedTransaction.Change.Kind: Int]] = [:]
    for change in changes { counts[change.entity, default: [:]][change.kind, default: 0] += 1 }
    return counts.sorted { $0.key < $1.key }.map { entity, kinds in
      let parts = [(LoggedTransaction.Change.Kind.inserted, "+"), (.updated, "~"), (.deleted, "-"), (.erased, "?")]
      return PlainText.line(entity) + parts.compactMap { kind, sign in kinds[kind].map { " \(sign)\($0)" } }.joined()
    }.joined(separator: ", ")
  }
}

/// The change of an object by a transaction.
package struct ChangeText: Encodable {
  package let entity: String
  package let object: String
  package let kind: LoggedTransaction.Change.Kind
  package let properties: [DifferenceText]
  /// Whether the object has another place in an ordered relationship.
  package let isMoved: Bool

  private enum CodingKeys: CodingKey { case object, kind, properties, isMoved }

  package init(_ change: LoggedTransaction.Change, of store: Store) {
    entity = change.object.entity
    object = change.object.description
    kind = change.kind
    let places = store.entities.first { $0.name == change.object.entity }?.placeNames ?? []
    properties = change.properties.filter { !places.contains($0.property) }.map(DifferenceText.init)
    isMoved = change.kind == .updated && properties.count < change.properties.count
  }

  func lines(_ style: Style) -> [String] {
    let (sign, ink): (String, Style.Ink) =
      switch kind {
      case .inserted: ("+", .added)
      case .deleted: ("-", .removed)
      default: ("~", .name)
      }
    return ["  " + style.ink(ink, "\(sign) \(PlainText.line(object))")]
      + properties.map { "      " + $0.line(kind, style) } + (isMoved ? ["      moved"] : [])
  }
}

extension Entity {
  /// The names of attributes that have the places of objects in ordered relationships. No model declares them.
  fileprivate var placeNames: Set<String> {
    Set(properties.dropFirst(declaredProperties.count).filter { $0.attribute != nil }.map(\.name))
  }
}

/// The change of a property.
package struct DifferenceText: Encodable {
  package let difference: PropertyDifference

  package init(_ difference: PropertyDifference) { self.difference = difference }

  private enum CodingKeys: CodingKey { case property, old, new, offset, removed, inserted, added, isErased }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(difference.property, forKey: .property)
    switch difference.form {
    case .value(let old, let new):
      try container.encode(ValueJSON(value: old), forKey: .old)
      try container.encode(ValueJSON(value: new), forKey: .new)
    case .text(let offset, let removed, let inserted):
      try container.encode(offset, forKey: .offset)
      try container.encode(removed, forKey: .removed)
      try container.encode(inserted, forKey: .inserted)
    case .bytes(let offset, let removed, let inserted):
      try container.encode(offset, forKey: .offset)
      try container.encode(Data(removed), forKey: .removed)
      try container.encode(Data(inserted), forKey: .inserted)
    case .members(let added, let removed):
      try container.encode(added.map(\.description), forKey: .added)
      try container.encode(removed.map(\.description), forKey: .removed)
    default: try container.encode(true, forKey: .isErased)
    }
  }

  package func line(_ kind: LoggedTransaction.Change.Kind, _ style: Style) -> String {
    let name = PlainText.line(difference.property) + ": "
    switch difference.form {
    case .value(_, let new) where kind == .inserted: return name + ValueText.line(new)
    case .value(let old, _) where kind == .deleted: return name + ValueText.line(old)
    case .value(let old, let new):
      return name + style.ink(.removed, ValueText.line(old)) + " → " + style.ink(.added, ValueText.line(new))
    case .text(let offset, let removed, let inserted):
      return name + "at \(offset) " + style.ink(.removed, ValueText.line(.string(removed))) + " → "
        + style.ink(.added, ValueText.line(.string(inserted)))
    case .bytes(let offset, let removed, let inserted):
      return name + "at \(offset) \(removed.count) bytes → \(inserted.count) bytes"
    case .members(let added, let removed):
      let words =
        added.map { style.ink(.added, "+\(PlainText.line($0.description))") }
        + removed.map { style.ink(.removed, "-\(PlainText.line($0.description))") }
      return name + (words.isEmpty ? "another order" : words.joined(separator: " "))
    default: return name + "erased"
    }
  }
}
