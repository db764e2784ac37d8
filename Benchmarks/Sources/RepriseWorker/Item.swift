import Reprise
import RepriseApp
import Workload

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The item of the benchmark.
@Model final class Item {
  @Attribute(.indexed) var name: String
  var serial: String
  var valueInDollars: Int
  @Attribute(.indexed) var dateCreated: Date
  @Relationship(inverse: \Person.items) var owner: Person?
  var notes: String

  init(_ facts: ItemFacts) {
    name = facts.name
    serial = facts.serial
    valueInDollars = facts.value
    dateCreated = Date(timeIntervalSinceReferenceDate: facts.date)
    notes = facts.notes
  }
}

/// Who may own items.
@Model final class Person {
  var name: String
  var items: ToMany<Item>

  init(name: String) { self.name = name }
}

extension Item: RestorableItem {
  static var schema: Schema { Schema(Item.self, Person.self) }
  static var byDate: Fetch<Item> { Fetch<Item>().sorted { $0.dateCreated.ascending } }

  var facts: ItemFacts {
    ItemFacts(
      name: name, serial: serial, notes: notes, value: valueInDollars,
      ticks: ItemFacts.ticks(dateCreated.timeIntervalSinceReferenceDate), hasOwner: owner != nil)
  }
}
