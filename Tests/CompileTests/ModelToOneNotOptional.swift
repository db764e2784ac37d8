// The other object may be deleted.
import Reprise

@Model final class Item {
  @Relationship(inverse: \Person.items) var owner: Person  // error: must be optional
  init(owner: Person) { self.owner = owner }
}

@Model final class Person {
  var items: ToMany<Item>
}

func use(_ item: Item) { print(item.id, item.owner.items.count) }
