// expansion: a property that holds a model is a relationship: mark it with '@Relationship'
// wake: AttributeValue
// wake: non-Sendable type 'Person'
// A macro sees a name, not that the name is a model's.
import Reprise

@Model final class Item {
  var owner: Person?
}

@Model final class Person {
  var items: ToMany<Item>
}
