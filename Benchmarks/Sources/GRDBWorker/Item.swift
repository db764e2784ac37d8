import Foundation
import GRDB
import Workload

/// A row of the items, decoded by hand and by position: the fastest way that GRDB documents.
struct Item: FetchableRecord {
  static let columns = "id, name, serial, valueInDollars, dateCreated, owner, notes"

  var id: Int64
  var name: String
  var serial: String
  var valueInDollars: Int
  var dateCreated: Double
  var owner: Int64?
  var notes: String

  init(row: Row) {
    id = row[0]
    name = row[1]
    serial = row[2]
    valueInDollars = row[3]
    dateCreated = row[4]
    owner = row[5]
    notes = row[6]
  }
}

/// The same as most applications write it.
struct CodableItem: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "item"

  var id: Int64
  var name: String
  var serial: String
  var valueInDollars: Int
  var dateCreated: Double
  var owner: Int64?
  var notes: String

  init(id: Int64, _ facts: ItemFacts) {
    self.id = id
    name = facts.name
    serial = facts.serial
    valueInDollars = facts.value
    dateCreated = facts.date
    notes = facts.notes
  }
}

/// What both have.
protocol ItemValues {
  var id: Int64 { get }
  var name: String { get set }
  var serial: String { get set }
  var valueInDollars: Int { get set }
  var dateCreated: Double { get set }
  var owner: Int64? { get set }
  var notes: String { get set }
}

extension Item: ItemValues {}
extension CodableItem: ItemValues {}

extension ItemValues {
  var facts: ItemFacts {
    ItemFacts(
      name: name, serial: serial, notes: notes, value: valueInDollars, ticks: ItemFacts.ticks(dateCreated),
      hasOwner: owner != nil)
  }
}
