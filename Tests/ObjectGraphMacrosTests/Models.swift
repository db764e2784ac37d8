#if Macros
import Reprise

enum Condition: String, AttributeValue, Sendable { case new, used, broken }

@Model final class Item {
  @Attribute(.indexed) var name: String
  var valueInDollars: Int = 0
  var serial: String?
  var condition: Condition = .used
  var photo: [UInt8]?
  @Relationship(deleteRule: .nullify, inverse: \Person.items) var owner: Person?
  @Transient var isShown = false
  var title: String { "\(name) (\(valueInDollars))" }

  init(name: String, valueInDollars: Int = 0, owner: Person? = nil) {
    self.valueInDollars = valueInDollars
    self.name = name
    self.owner = owner
  }
}

@Model("Human") final class Person {
  var name: String
  @Relationship(deleteRule: .cascade) var items: ToMany<Item>
  @Relationship(inverse: \Person.children) var parent: Person?
  var children: ToMany<Person>
  init(name: String) { self.name = name }
}

@Model final class Settings {
  var volume: Double = 0.5
  var `default`: Bool = true
  var longest: Int = 24 * 3600
  var lowest: Int8 = -20
  var last: Int? = .max
}
#endif
