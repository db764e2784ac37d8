// An index belongs to a model.
import Reprise

@Model final class Item {
  var name: String = ""
}

enum Elsewhere {
  #Index<Item>([\.name])  // error: '#Index' is only for classes with '@Model'
}
