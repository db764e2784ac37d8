// The inverse is a property of the model that the relationship leads to.
import Reprise

@Model final class Item {
  @Relationship(inverse: \Maker.items) var owner: Person?  // error: is a property of 'Person', not of 'Maker'
  @Relationship var maker: Maker?
}

@Model final class Person {
  var items: ToMany<Item>
}

@Model final class Maker {
  var items: ToMany<Item>
}
