// A truth value of the program is no condition by itself.
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

let isShown = true
// error: make a condition from a Bool of the program with 'Condition(…)'
let fetch = Fetch<Item> { $0.count > 3 && isShown }
