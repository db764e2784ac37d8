#if HTTP
import Foundation
import RepriseRemote

/// A page as JSON: an array, or an object with an array and what else there is to say.
struct JSONPage<Record: Codable & Sendable> {
  private struct Envelope: Decodable {
    let records: [Record]
    let deleted: [Identifier]?
    let next: String?
    let cursor: Identifier?
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

  init(_ body: [UInt8], _ decoder: JSONDecoder) throws {
    do {
      if body.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "[") {
        page = RemotePage(records: try decoder.decode([Record].self, from: Data(body)))
      } else {
        let envelope = try decoder.decode(Envelope.self, from: Data(body))
        page = RemotePage(
          records: envelope.records, deletedIDs: envelope.deleted?.map(\.text) ?? [], nextPage: envelope.next,
          cursor: envelope.cursor?.text)
      }
    } catch {
      throw RemoteError.malformed(reason: "a page: \(error)")
    }
  }
}
#endif
