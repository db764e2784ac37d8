// A field is no optional: what a fetch reads of an object is not known when the fetch is made.
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

let fetch = Fetch<Item> { item in
  if let owner = item.owner { owner.name == "Ada" } else { item.isDone }  // error: must have Optional type
}
