// A misspelt property of an index is found by the compiler.
// wake: 'size' is not persisted
import Reprise

@Model final class Item {
  #Index<Item>([\.name, \.size])  // error: has no member 'size'
  var name: String = ""
}
