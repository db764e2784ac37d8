// A to-many relationship has no value that could be unique.
import Reprise

@Model final class Item {
  var name: String = ""
  @Relationship(inverse: \Item.children) var parent: Item?
  @Attribute(.unique) var children: ToMany<Item>  // error: '@Attribute' is for attributes
}
