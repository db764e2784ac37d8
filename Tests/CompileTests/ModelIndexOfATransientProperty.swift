// An index is over what the objects of a model store, each property once.
import Reprise

@Model final class Item {
  #Index<Item>([\.shown, \.name])  // error: 'shown' is not persisted, so no index can have it
  var name: String = ""
  var rank: Int = 0
  @Transient var shown = false
  @Relationship(inverse: \Item.children) var parent: Item?
  var children: ToMany<Item>
}
