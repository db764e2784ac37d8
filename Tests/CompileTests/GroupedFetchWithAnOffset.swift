// Groups are skipped together with a limit.
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

// error: to skip groups, use a limit with an offset: 'limit(20, offset: 10)'
let fetch = Fetch<Item>().grouped { $0.isDone }.offset(10)
