import Foundation
import GRDB
import Workload

/// What happened to an item: the history that Reprise keeps of itself, one row for each change, in its transaction.
enum EventKind: Int {
  case inserted = 1
  case updated = 2
}

/// The payload of an event as hand-written bytes: all values of what was inserted; attribute, old and new value of what
/// was updated.
enum EventBytes {
  static func inserted(_ facts: ItemFacts) -> Data {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(192)
    for text in [facts.name, facts.serial, facts.notes] {
      bytes.append(UInt8(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    }
    append(facts.value, to: &bytes)
    append(facts.date.bitPattern, to: &bytes)
    return Data(bytes)
  }

  static func updated(attribute: UInt8, old: Int, new: Int) -> Data {
    var bytes = [attribute]
    append(old, to: &bytes)
    append(new, to: &bytes)
    return Data(bytes)
  }

  private static func append(_ integer: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
  }
}

/// An event as most applications write it: a record with a payload in JSON.
struct CodableEvent: Codable, MutablePersistableRecord {
  static let databaseTableName = "event"

  struct Inserted: Codable {
    let name, serial, notes: String
    let valueInDollars: Int
    let dateCreated: Double
  }

  struct Updated: Codable {
    let attribute: String
    let old, new: Int
  }

  var seq: Int64?
  var item: Int64
  var kind: Int
  var payload: Data

  mutating func didInsert(_ inserted: InsertionSuccess) { seq = inserted.rowID }

  init(inserted item: CodableItem) throws {
    self.item = item.id
    kind = EventKind.inserted.rawValue
    payload = try JSONEncoder().encode(
      Inserted(
        name: item.name, serial: item.serial, notes: item.notes, valueInDollars: item.valueInDollars,
        dateCreated: item.dateCreated))
  }

  init(updated item: Int64, attribute: String, old: Int, new: Int) throws {
    self.item = item
    kind = EventKind.updated.rawValue
    payload = try JSONEncoder().encode(Updated(attribute: attribute, old: old, new: new))
  }
}
