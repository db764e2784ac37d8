// A condition may depend on values of the program by `if` and `switch`.
import Reprise

@Model final class Item {
  @Attribute(.indexed) var name: String
  var price: Double? = nil
  var count: Int = 0
  var isDone: Bool = false
  @Relationship(inverse: \Person.items) var owner: Person?
  init(name: String) { self.name = name }
}

@Model final class Person {
  var name: String = ""
  var items: ToMany<Item>
  init() {}
}

enum Choice { case all, open, named(String) }

func items(_ choice: Choice, named name: String?, of owner: Person.ID?) -> [Fetch<Item>] {
  [
    Fetch { item in if let name { item.name == name } },
    Fetch { if let owner { $0.owner == owner } else { $0.isDone } }
      .filter { item in if name == nil { item.count > 3 && !item.isDone } },
    Fetch { item in
      switch choice {
      case .all: Condition(true)
      case .open: !item.isDone
      case .named(let name): item.name == name
      }
    },
    Fetch { $0.isDone }.filter { $0.isDone },
    Fetch { return $0.count > 1 },
  ]
}

func people(_ least: Int?) -> Fetch<Person> {
  Fetch { $0.items.any { item in if let least { item.count > least } } && $0.items.all { $0.isDone } }
}

func condition(_ least: Int?) -> Condition<Item> {
  Condition { item in if let least { item.count > least } else { item.isDone } }
}
