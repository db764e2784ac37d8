// An index is over what the objects of a model store, each property once.
import Reprise

@Model final class Item {
  // error: 'children' is to-many
  #Index<Item>([\.name, \.children])
  var name: String = ""
  var rank: Int = 0
  @Transient var shown = false
  @Relationship(inverse: \Item.children) var parent: Item?
  var children: ToMany<Item>
}
