// Objects have no order of their own.
import Reprise

@Model final class Item {
  @Attribute(.indexed) var name: String
  var price: Double? = nil
  var count: Int = 0
  var isDone: Bool = false
  @Relationship(inverse: \Person.items) var owner: Person?
  init(name: String) { self.name = name }
}

@Model final class Person {
  var name: String = ""
  @Relationship(inverse: \Person.reports) var boss: Person?
  var items: ToMany<Item>
  var reports: ToMany<Person>
  init() {}
}
// error: a relationship has no order: sort by an attribute, as in '$0.owner.name'
let fetch = Fetch<Item>().sorted { $0.owner }
