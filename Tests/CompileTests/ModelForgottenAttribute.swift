// An initialiser must give every attribute a value, as in any class.
import Reprise

@Model final class Item {
  var name: String
  var price: Int = 0
  init(price: Int) { self.price = price }  // error: without initializing all stored properties
}
