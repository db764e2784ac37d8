// A predicate of a model is a fetch, in a module of the main actor as well.
// flags: -default-isolation MainActor
import Foundation
import Reprise

@Model final class Item {
  @Attribute(.indexed, .indexed(.ignoringCase), .indexed([.ignoringCase, .natural])) var name: String
  var price: Double? = nil
  var isDone: Bool = false
  private var note: String?
  @Relationship(inverse: \Person.items) var owner: Person?
  init(name: String) { self.name = name }
}

@Model final class Person {
  var name: String = ""
  var `class`: String?
  var items: ToMany<Item>
  init() {}
}

nonisolated func fetches(_ text: String) throws -> [Fetch<Item>] {
  [
    try Fetch(#Predicate<Item> { $0.name == text && !$0.isDone }),
    try Fetch(#Predicate { $0.owner?.name == text }).sorted { $0.name.collated([.ignoringCase, .natural]) },
    Fetch { $0.name.collated(.ignoringCase) < text && $0.name.collated(.natural).isIn("a"..."b") },
  ]
}

func condition() throws -> Condition<Person> {
  try Condition(#Predicate<Person> { $0.items.contains { $0.isDone } && $0.class == nil })
}
