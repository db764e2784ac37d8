// The inverse of a to-many relationship is a to-one that leads back.
import Reprise

@Model final class Item {
  @Relationship var owner: Person?
  @Relationship var maker: Maker?
}

@Model final class Person {
  // error: the inverse does not hold this model: name a property that is an optional or a to-many of this model
  @Relationship(inverse: \Item.maker) var items: ToMany<Item>
}

@Model final class Maker {
  var items: ToMany<Item>
}
