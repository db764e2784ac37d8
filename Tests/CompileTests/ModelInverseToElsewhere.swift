// An inverse leads back to the model that names it.
import Reprise

@Model final class Item {
  @Relationship(inverse: \Person.friends) var owner: Person?  // error: the inverse leads elsewhere
}

@Model final class Person {
  var items: ToMany<Item>
  var friends: ToMany<Person>
}
