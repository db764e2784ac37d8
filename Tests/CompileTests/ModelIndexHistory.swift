// Whether an index keeps history is written out, because the macro reads it.
import Reprise

let keepsHistory = true

@Model final class Item {
  #Index<Item>([\.name, \.code], keepsHistory: keepsHistory)  // error: write 'true' or 'false' here
  var name: String?
  var code: Int?
}
