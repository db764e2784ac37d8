#if HTTP
import Foundation
import RepriseRemote

/// The keys of a page of a ``JSONTransport``. If the transport's decoder converts keys, name the converted keys. A dot
/// leads into an object, as in `meta.next`.
public struct JSONPageKeys: Hashable, Sendable {
  /// The key of the array of records. Required, unless the page is an array.
  public var records = "records"
  /// In a record, the key of its identifier, which is a text or a number. It identifies a row whose record cannot be
  /// read.
  public var id = "id"
  /// The key of the next page, which is a text or a number. It is missing, null or empty on the last page.
  public var next = "next"
  /// The key of the array of identifiers of deleted rows, which are texts or numbers.
  public var deleted = "deleted"
  /// The key of the cursor for later requests of changes, which is a text or a number.
  public var cursor = "cursor"

  /// Makes the default keys: `records`, `id`, `next`, `deleted` and `cursor`.
  public init() {}
}

/// A page as JSON: an array of records, or an object that contains the array.
struct JSONPage<Record: Codable & Sendable> {
  private struct Envelope: Decodable {
    let records: [Row]
    let deleted: [Identifier]
    let next: Identifier?
    let cursor: Identifier?

    init(from decoder: any Decoder) throws {
      let keys = decoder.pageKeys
      let place = try decoder.place(keys.records)
      records = try place.object.decode([Row].self, forKey: place.key)
      deleted = try decoder.optional(keys.deleted) ?? []
      next = try decoder.optional(keys.next)
      cursor = try decoder.optional(keys.cursor)
    }
  }

  /// A record, or the reason why it cannot be read. One unreadable record must not make the other ones unreadable.
  private enum Row: Decodable {
    case record(Record)
    case unreadable(RefusedRow)

    init(from decoder: any Decoder) throws {
      do {
        self = .record(try decoder.singleValueContainer().decode(Record.self))
      } catch {
        let id = try? decoder.optional(decoder.pageKeys.id) as Identifier?
        let reason = (error as? DecodingError)?.reason(below: decoder.codingPath) ?? "\(error)"
        self = .unreadable(RefusedRow(id: id?.text, reason: "its JSON cannot be read: \(reason)"))
      }
    }
  }

  /// A text or a number.
  private struct Identifier: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int64.self) {
        text = String(number)
      } else {
        text = try container.decode(String.self)
      }
    }
  }

  let page: RemotePage<Record>

  init(_ body: [UInt8], _ keys: JSONPageKeys, _ decoder: JSONDecoder) throws {
    decoder.userInfo[.pageKeys] = keys
    do {
      if body.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "[") {
        page = Self.page(try decoder.decode([Row].self, from: Data(body)))
      } else {
        let envelope = try decoder.decode(Envelope.self, from: Data(body))
        var page = Self.page(envelope.records)
        page.deletedIDs = envelope.deleted.map(\.text)
        page.nextPage = envelope.next.flatMap { $0.text.isEmpty ? nil : $0.text }
        page.cursor = envelope.cursor?.text
        self.page = page
      }
    } catch {
      throw RemoteError.malformed(reason: "a page of the list cannot be decoded: \(error)")
    }
  }

  private static func page(_ rows: [Row]) -> RemotePage<Record> {
    var page = RemotePage<Record>(records: [])
    for row in rows {
      switch row {
      case .record(let record): page.records.append(record)
      case .unreadable(let row): page.unreadable.append(row)
      }
    }
    return page
  }
}

private struct Key: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ text: String) { stringValue = text }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

extension Decoder {
  fileprivate var pageKeys: JSONPageKeys { userInfo[.pageKeys] as? JSONPageKeys ?? JSONPageKeys() }

  /// The object and the key that a path with dots leads to.
  fileprivate func place(_ path: String) throws -> (object: KeyedDecodingContainer<Key>, key: Key) {
    let parts = path.split(separator: ".").map { Key(String($0)) }
    var object = try container(keyedBy: Key.self)
    for part in parts.dropLast() { object = try object.nestedContainer(keyedBy: Key.self, forKey: part) }
    return (object, parts.last ?? Key(path))
  }

  /// The value at a path. `nil` if it, or an object on the way to it, is missing.
  fileprivate func optional<Value: Decodable>(_ path: String) throws -> Value? {
    guard let place = try? place(path) else { return nil }
    return try place.object.decodeIfPresent(Value.self, forKey: place.key)
  }
}

extension DecodingError {
  /// The failure and its place in a record. Omits the place of the record itself, because that may change with the next
  /// reading.
  fileprivate func reason(below path: [any CodingKey]) -> String {
    let context: Context
    switch self {
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
      .dataCorrupted(let found):
      context = found
    @unknown default: return "\(self)"
    }
    let way = context.codingPath.dropFirst(path.count).map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return way.isEmpty ? context.debugDescription : "\(way.joined(separator: ".")): \(context.debugDescription)"
  }
}

extension CodingUserInfoKey {
  // invariant: every raw value is valid.
  fileprivate static let pageKeys = CodingUserInfoKey(rawValue: "reprise.pageKeys")!
}
#endif
