// The inverse of a to-many relationship is a to-one that leads back.
import Reprise

@Model final class Item {
  @Relationship var owner: Person?
  @Relationship var maker: Maker?
}

@Model final class Person {
  @Relationship(inverse: \Item.maker) var items: ToMany<Item>  // error: the inverse leads elsewhere
}

@Model final class Maker {
  var items: ToMany<Item>
}
