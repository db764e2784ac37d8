// One description serves all objects of a class.
import Reprise

@Model final class Item<Kind> {  // error: a model cannot be generic
  var name: String
  @Attribute(.indexed) var size: Int?
  init(name: String) { self.name = name }
}

func use(_ item: Item<Int>) -> String { item.name }
