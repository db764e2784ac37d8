// An inverse is a relationship: an attribute leads nowhere.
import Reprise

@Model final class Item {
  @Relationship(inverse: \Person.name) var owner: Person?  // error: the inverse leads elsewhere
}

@Model final class Person {
  var name: String = ""
  var items: ToMany<Item>
}
