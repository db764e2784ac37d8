// A relationship is no condition.
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
let fetch = Fetch<Item> { $0.owner }  // error: a relationship is not a condition: compare it, as in '$0.owner != nil'
