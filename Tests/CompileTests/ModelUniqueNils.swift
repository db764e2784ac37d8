// Whether nil equals nil is written out, because the macro reads it.
import Reprise

let nilsAreEqual = true

@Model final class Item {
  #Unique<Item>([\.name, \.code], nilsAreEqual: nilsAreEqual)  // error: write 'true' or 'false' here
  var name: String?
  var code: Int?
}
