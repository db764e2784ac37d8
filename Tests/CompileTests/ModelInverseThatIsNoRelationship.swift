// An inverse is a relationship: an attribute leads nowhere.
import Reprise

@Model final class Item {
  // error: the inverse does not lead back here: name a property that holds this model, as an optional or a to-many
  @Relationship(inverse: \Person.name) var owner: Person?
}

@Model final class Person {
  var name: String = ""
  var items: ToMany<Item>
}
