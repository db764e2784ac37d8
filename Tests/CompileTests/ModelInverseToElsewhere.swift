// An inverse leads back to the model that names it.
import Reprise

@Model final class Item {
  // error: the inverse does not lead back here: name a property that holds this model, as an optional or a to-many
  @Relationship(inverse: \Person.friends) var owner: Person?
}

@Model final class Person {
  var items: ToMany<Item>
  var friends: ToMany<Person>
}
