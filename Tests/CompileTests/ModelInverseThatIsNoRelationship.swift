// An inverse is a relationship: an attribute leads nowhere.
import Reprise

@Model final class Item {
  // error: the inverse does not hold this model: name a property that is an optional or a to-many of this model
  @Relationship(inverse: \Person.name) var owner: Person?
}

@Model final class Person {
  var name: String = ""
  var items: ToMany<Item>
}
