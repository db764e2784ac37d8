// wake: non-final class 'Item' cannot safely conform
// The store makes the objects of a model, so there can be no subclasses.
import Reprise

@Model class Item {  // error: a model must be final
  var name: String
  @Relationship(inverse: \Person.items) var owner: Person?
  init(name: String) { self.name = name }
}

@Model final class Person {
  var items: ToMany<Item>
}

func use(_ item: Item) { print(item.id, item.snapshot, item.owner?.items.count ?? 0) }
