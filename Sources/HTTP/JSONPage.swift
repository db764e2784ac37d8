#if HTTP
import Foundation
import RepriseRemote

/// Where a page of a ``JSONTransport`` has what: the keys of its JSON object, as the transport's decoder knows them. A
/// dot leads into an object, as in `meta.next`.
public struct JSONPageKeys: Hashable, Sendable {
  /// The array of records.
  public var records = "records"
  /// The next page: a text or a number; missing, null or empty on the last one.
  public var next = "next"
  /// The identifiers of rows that are gone, as texts or numbers.
  public var deleted = "deleted"
  /// What to ask for changes with later: a text or a number.
  public var cursor = "cursor"

  /// `records`, `next`, `deleted` and `cursor`.
  public init() {}
}

/// A page as JSON: an array, or an object with an array and what else there is to say.
struct JSONPage<Record: Codable & Sendable> {
  private struct Envelope: Decodable {
    let records: [Record]
    let deleted: [Identifier]
    let next: Identifier?
    let cursor: Identifier?

    init(from decoder: any Decoder) throws {
      let keys = decoder.userInfo[.pageKeys] as? JSONPageKeys ?? JSONPageKeys()
      let place = try Self.place(keys.records, decoder)
      records = try place.object.decode([Record].self, forKey: place.key)
      deleted = try Self.optional(keys.deleted, decoder) ?? []
      next = try Self.optional(keys.next, decoder)
      cursor = try Self.optional(keys.cursor, decoder)
    }

    private static func place(_ path: String, _ decoder: any Decoder) throws -> Place {
      let parts = path.split(separator: ".").map { Key(String($0)) }
      var object = try decoder.container(keyedBy: Key.self)
      for part in parts.dropLast() { object = try object.nestedContainer(keyedBy: Key.self, forKey: part) }
      return (object, parts.last ?? Key(path))
    }

    /// Objects on the way may be missing as well.
    private static func optional<Value: Decodable>(_ path: String, _ decoder: any Decoder) throws -> Value? {
      guard let place = try? place(path, decoder) else { return nil }
      return try place.object.decodeIfPresent(Value.self, forKey: place.key)
    }

    private typealias Place = (object: KeyedDecodingContainer<Key>, key: Key)
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
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
    do {
      if body.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "[") {
        page = RemotePage(records: try decoder.decode([Record].self, from: Data(body)))
      } else {
        decoder.userInfo[.pageKeys] = keys
        let envelope = try decoder.decode(Envelope.self, from: Data(body))
        page = RemotePage(
          records: envelope.records, deletedIDs: envelope.deleted.map(\.text),
          nextPage: envelope.next.flatMap { $0.text.isEmpty ? nil : $0.text }, cursor: envelope.cursor?.text)
      }
    } catch {
      throw RemoteError.malformed(reason: "a page: \(error)")
    }
  }
}

extension CodingUserInfoKey {
  // invariant: no raw value is refused.
  fileprivate static let pageKeys = CodingUserInfoKey(rawValue: "reprise.pageKeys")!
}
#endif
