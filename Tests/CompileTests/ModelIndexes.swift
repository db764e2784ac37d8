// Indexes over several properties, however they are written out.
import Reprise

@Model final class Folder {
  var name: String = ""
  var items: ToMany<Item>
}

@Model final class Item {
  #Index<Item>([\.isDone, \.due], [\.folder, \.name])
  var name: String = ""
  var isDone: Bool = false
  var due: Int?
  var `class`: Int = 0
  @Relationship(inverse: \Folder.items) var folder: Folder?
  #Index<Item>([\Item.`class`, \Item.due])
  #Index<Item>([\.due], [\.name, \.isDone], keepsHistory: true)
}

public enum Shop {
  @Model public final class Order {
    #Index<Shop.Order>([\Shop.Order.isPaid, \.number])
    var number: Int = 0
    var isPaid: Bool = false
  }
}

let names = Item.entity.properties.map(\.name) + Shop.Order.entity.properties.map(\.name)
