// A to-many relationship is a view: objects are inserted into it and removed.
import Reprise

@Model final class Item {
  @Relationship(inverse: \Person.items) var owner: Person?
}

@Model final class Person {
  var items: ToMany<Item>
}

func steal(_ thief: Person, from other: Person) {
  thief.items = other.items  // error: 'items' is a get-only property
}
