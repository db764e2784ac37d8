// What counts objects is no condition on one, and no length of a text.
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
// error: an aggregate such as 'count' is about groups: use it with 'grouped' and 'having'
let fetch = Fetch<Item> { $0.name.count > 3 }
