// What lies behind a missing link reads nil by itself, so no question mark is needed: `$0.owner.name`. The compiler
// says so in its own words. It would show ours for an unavailable property of the same name and of an optional type,
// which must stand in an extension of a protocol or of a generic type; and a macro extends the type that it is attached
// to, and no other.
// wake: cannot convert value of type
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
let fetch = Fetch<Item> { $0.owner?.name == "Ada" }  // error: non-optional value of type 'ToOneField<Item, Person>'
