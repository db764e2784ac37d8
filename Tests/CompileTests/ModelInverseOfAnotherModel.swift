// The inverse is a property of the model that the relationship leads to.
import Reprise

@Model final class Item {
  // error: the inverse of a relationship to 'Person' is a property of 'Person', not of 'Maker'
  @Relationship(inverse: \Maker.items) var owner: Person?
  @Relationship var maker: Maker?
}

@Model final class Person {
  var items: ToMany<Item>
}

@Model final class Maker {
  var items: ToMany<Item>
}
