// A module whose default isolation is the main actor, as new application projects have it.
import Reprise

@Model final class Item {
  @Attribute(.indexed) var name: String
  var count: Int = 0
  @Relationship(inverse: \Person.items) var owner: Person?
  init(name: String) { self.name = name }
}

@Model final class Person {
  var name: String
  @Relationship(deleteRule: .cascade) var items: ToMany<Item>
  init(name: String) { self.name = name }
}

let item = Item(name: "Red chair")
item.name = "Blue chair"
guard item.name == "Blue chair", item.state == .detached else { fatalError("\(item.name), \(item.state)") }
print("client: @Model works in a module of the main actor")
