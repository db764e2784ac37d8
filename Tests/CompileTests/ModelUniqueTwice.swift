// A unique attribute is unique, and has an index, already.
import Reprise

@Model final class Item {
  #Unique<Item>([\.name])  // error: there is an index over these properties already: remove this one
  @Attribute(.unique) var name: String = ""
}
