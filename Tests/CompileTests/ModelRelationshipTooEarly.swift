// The other end follows at once, so the object must be complete when a relationship is assigned.
import Reprise

@Model final class Item {
  var name: String
  @Relationship(inverse: \Person.items) var owner: Person?
  init(name: String, owner: Person) {
    self.owner = owner  // error: before all stored properties are initialized
    self.name = name
  }
}

@Model final class Person {
  var items: ToMany<Item>
}
