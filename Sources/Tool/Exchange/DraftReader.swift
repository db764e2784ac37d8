import RepriseCore
import RepriseObjectModel

/// Reads an exported draft: pieces of blobs as parts, and the changes on the side.
final class DraftReader: ImportReader {
  /// The change of an object.
  struct Change {
    enum Kind: String { case inserted, updated, deleted }

    let kind: Kind
    /// The values in the draft.
    var new: ImportedObject
    /// The values at the base of the draft.
    var old: ImportedObject
    var members: [(name: String, added: [AnyObjectID], removed: [AnyObjectID])] = []
  }

  private let lines: LineReader
  private let layouts: [String: ExchangeLayout]
  let author: String?
  private(set) var changes: [Change] = []
  private var isAtEnd = false

  init(_ path: String, into store: Store) throws {
    lines = try LineReader(path)
    layouts = Dictionary(
      store.entities.map { ($0.name, ExchangeLayout($0, in: store)) }, uniquingKeysWith: { first, _ in first })
    guard let line = try lines.next(), let header = try? JSONParser.parse(line),
      case .number(let digits)? = header[DraftExport.key], let version = Int(digits)
    else { throw ImportError.notAnExport(path) }
    guard version == DraftExport.version else { throw ImportError.newerVersion(path, version) }
    author = header["author"]?.text
  }

  /// Whether a file begins as an exported draft does.
  static func isDraft(_ path: String) throws -> Bool {
    guard let line = try LineReader(path).next(), let json = try? JSONParser.parse(line) else { return false }
    return json[DraftExport.key] != nil
  }

  var fraction: Double { lines.fraction }

  func next() throws -> ImportPart? {
    while let line = try lines.next() {
      let place = lines.place
      if isAtEnd { throw ImportError.notAnObject(place, reason: "a line follows the last line of an export") }
      let json = try JSONImport.json(line, place)
      if json == ExportHeader.end {
        isAtEnd = true
      } else if json["blob"] != nil {
        return .piece(try JSONImport.piece(json, place))
      } else {
        changes.append(try change(json, place))
      }
    }
    if !isAtEnd { throw ImportError.truncated(lines.path) }
    return nil
  }

  private func change(_ json: JSONText, _ place: ImportError.Place) throws -> Change {
    guard let text = json["object"]?.text, let parts = ImportedObject.parts(text),
      let kind = json["change"]?.text.flatMap(Change.Kind.init)
    else {
      throw ImportError.notAnObject(
        place, reason: "a change of a draft has 'object', and 'inserted', 'updated' or 'deleted' as its 'change'")
    }
    guard let layout = layouts[parts.entity] else {
      throw ImportError.unknownEntity(place, parts.entity, known: layouts.keys.sorted())
    }
    let empty = ImportedObject(AnyObjectID(layout.entity.interned, parts.uuid), layout, at: place)
    var change = Change(kind: kind, new: empty, old: empty)
    for value in json["values"]?.members ?? [] { try change.new.add(value.key, value.value) }
    for value in json["old"]?.members ?? [] { try change.old.add(value.key, value.value) }
    for list in json["members"]?.members ?? [] {
      guard let target = layout.entity.relationships.first(where: { $0.name == list.key })?.target else {
        throw ImportError.unknownProperty(place, list.key, entity: layout.entity.name, known: layout.names)
      }
      func ids(_ key: String) throws -> [AnyObjectID] {
        try (list.value[key]?.list ?? []).map { item in
          if let id = ImportedObject.id(item, of: target) { return id }
          throw ImportError.wrongValue(
            place, property: list.key, expected: "a list of objects of \(PlainText.line(target.name))",
            found: PlainText.cut(item.line, to: 60))
        }
      }
      change.members.append((list.key, try ids("added"), try ids("removed")))
    }
    return change
  }
}
