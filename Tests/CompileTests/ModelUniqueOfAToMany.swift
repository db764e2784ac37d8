// What is unique is what the objects of a model store.
import Reprise

@Model final class Item {
  #Unique<Item>([\.name, \.children])  // error: 'children' is to-many
  var name: String = ""
  @Relationship(inverse: \Item.children) var parent: Item?
  var children: ToMany<Item>
}
