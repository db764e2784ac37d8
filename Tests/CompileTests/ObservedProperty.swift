// An accessor replaces the property, and an observer would be dropped without a word.
import Reprise

@Model final class Item {
  var name: String = "" {
    didSet { print(name) }  // error: didSet
  }
}
