// An index is over what the objects of a model store, each property once.
import Reprise

@Model final class Item {
  // error: an index can name only properties of this model, not properties of a related model
  #Index<Item>([\.parent?.name, \.rank])
  var name: String = ""
  var rank: Int = 0
  @Transient var shown = false
  @Relationship(inverse: \Item.children) var parent: Item?
  var children: ToMany<Item>
}
