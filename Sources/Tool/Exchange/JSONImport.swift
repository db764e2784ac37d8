import Foundation
import RepriseCore
import RepriseObjectModel

/// Reads an export in JSON lines.
final class JSONImport: ImportReader {
  private let lines: LineReader
  private let layouts: [String: ExchangeLayout]
  /// The entity to import. `nil` for all.
  private let entity: Entity?
  private var isAtEnd = false

  init(_ path: String, into store: Store, entity: Entity?) throws {
    self.entity = entity
    lines = try LineReader(path)
    layouts = Dictionary(
      store.entities.map { ($0.name, ExchangeLayout($0, in: store)) }, uniquingKeysWith: { first, _ in first })
    _ = try Self.header(lines)
  }

  /// The entities in the first line of a file.
  static func header(_ path: String) throws -> ExportHeader { try header(LineReader(path)) }

  private static func header(_ lines: LineReader) throws -> ExportHeader {
    guard let line = try lines.next(), let json = try? JSONParser.parse(line),
      let version = ExportHeader.version(of: json)
    else { throw ImportError.notAnExport(lines.path) }
    guard version == ExportHeader.version else { throw ImportError.newerVersion(lines.path, version) }
    do { return try ExportHeader(json) } catch { throw ImportError.invalidHeader(lines.place, reason: error.reason) }
  }

  var fraction: Double { lines.fraction }

  func next() throws -> ImportPart? {
    while let line = try lines.next() {
      // An empty line has no object.
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
      let place = lines.place
      if isAtEnd { throw ImportError.notAnObject(place, reason: "a line follows the last line of an export") }
      let json = try Self.json(line, place)
      if json == ExportHeader.end {
        isAtEnd = true
      } else if json["blob"] != nil {
        return .piece(try Self.piece(json, place))
      } else if let object = try object(json, place) {
        return .object(object)
      }
    }
    if !isAtEnd { throw ImportError.truncated(lines.path) }
    return nil
  }

  static func json(_ line: [UInt8], _ place: ImportError.Place) throws(ImportError) -> JSONText {
    do { return try JSONParser.parse(line) } catch {
      if String(validating: line, as: UTF8.self) == nil { throw .invalidUTF8(place) }
      throw .notJSON(place, reason: error.reason, byte: error.byte)
    }
  }

  /// `nil` for an object of an entity that is left out.
  private func object(_ json: JSONText, _ place: ImportError.Place) throws -> ImportedObject? {
    guard let members = json.members, let text = json["object"]?.text, let parts = ImportedObject.parts(text) else {
      throw ImportError.notAnObject(place, reason: "the line has no 'object' such as \"Note/UUID\"")
    }
    guard let layout = layouts[parts.entity] else {
      throw ImportError.unknownEntity(place, parts.entity, known: layouts.keys.sorted())
    }
    if let entity, layout.entity !== entity { return nil }
    var object = ImportedObject(AnyObjectID(layout.entity.interned, parts.uuid), layout, at: place)
    for member in members where member.key != "object" {
      guard member.key == "values" || member.key == "members", let values = member.value.members else {
        throw ImportError.notAnObject(
          place, reason: "an object has 'object', 'values' and 'members', but not '\(PlainText.line(member.key))' here")
      }
      for value in values { try object.add(value.key, value.value) }
    }
    return object
  }

  static func piece(_ json: JSONText, _ place: ImportError.Place) throws -> BlobPiece {
    guard let name = json["blob"]?.text,
      case .blob(let blob)? = try? ExchangeValue.value(.text(name), of: .blob, isOptional: false),
      case .number(let digits)? = json["offset"], let offset = Int(digits), let text = json["bytes"]?.text,
      let bytes = Data(base64Encoded: text), !bytes.isEmpty, offset >= 0, bytes.count <= blob.byteCount,
      offset <= blob.byteCount - bytes.count
    else {
      throw ImportError.notAnObject(place, reason: "a piece of a blob has 'blob', 'offset', and 'bytes' in base64")
    }
    return BlobPiece(blob: blob, offset: offset, bytes: [UInt8](bytes), place: place)
  }
}
