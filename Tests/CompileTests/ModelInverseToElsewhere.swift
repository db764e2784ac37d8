// An inverse leads back to the model that names it.
import Reprise

@Model final class Item {
  // error: the inverse does not hold this model: name a property that is an optional or a to-many of this model
  @Relationship(inverse: \Person.friends) var owner: Person?
}

@Model final class Person {
  var items: ToMany<Item>
  var friends: ToMany<Person>
}
