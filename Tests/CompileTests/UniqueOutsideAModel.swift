// A rule belongs to a model.
import Reprise

@Model final class Item {
  var name: String = ""
}

enum Elsewhere {
  #Unique<Item>([\.name])  // error: '#Unique' is only for classes with '@Model'
}
