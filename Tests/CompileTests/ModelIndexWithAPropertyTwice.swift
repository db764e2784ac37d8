// An index is over what the objects of a model store, each property once.
import Reprise

@Model final class Item {
  #Index<Item>([\.name, \.rank, \.name])  // error: 'name' is in this index already: remove it here
  var name: String = ""
  var rank: Int = 0
  @Transient var shown = false
  @Relationship(inverse: \Item.children) var parent: Item?
  var children: ToMany<Item>
}
