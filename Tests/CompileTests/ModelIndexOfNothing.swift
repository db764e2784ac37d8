// An index is over what the objects of a model store, each property once.
import Reprise

@Model final class Item {
  #Index<Item>([])  // error: an index needs at least one property
  var name: String = ""
  var rank: Int = 0
  @Transient var shown = false
  @Relationship(inverse: \Item.children) var parent: Item?
  var children: ToMany<Item>
}
