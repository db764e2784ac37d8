// An index is over what the objects of a model store, each property once.
import Reprise

@Model final class Item {
  // error: an index is over properties of the model itself, not of those behind a relationship
  #Index<Item>([\.parent?.name, \.rank])
  var name: String = ""
  var rank: Int = 0
  @Transient var shown = false
  @Relationship(inverse: \Item.children) var parent: Item?
  var children: ToMany<Item>
}
