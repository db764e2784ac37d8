// flags: -default-isolation MainActor
// New application projects isolate everything to the main actor; models do not belong to it, nor what they are made of.
import Reprise

enum Condition: String, AttributeValue { case new, used }

@Model final class Item {
  @Attribute(.indexed) var name: String
  var condition: Condition = .new
  @Relationship(deleteRule: .nullify, inverse: \Person.items) var owner: Person?
  @Transient var isShown: Bool = false
  init(name: String) { self.name = name }
  func rename() { name += "!" }
}

@Model final class Person {
  var items: ToMany<Item>
}

func onTheMainActor(_ item: Item, _ person: Person) {
  item.owner = person
  item.rename()
}

nonisolated func elsewhere() -> Item.Snapshot {
  let item = Item(name: "Chair")
  item.owner = Person()
  item.rename()
  return item.snapshot
}

nonisolated func fetch() -> Fetch<Item> {
  Fetch { $0.condition == .new && $0.owner.items.count > 1 }.sorted { $0.name.ascending }
}

func send(_ snapshot: Item.Snapshot) { Task.detached { print(snapshot.name, snapshot.condition) } }
