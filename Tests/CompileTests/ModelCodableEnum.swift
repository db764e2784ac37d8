// expansion: the enum must conform to the protocol: 'enum …: String, AttributeValue'
// wake: AttributeValue
import Reprise

enum Condition: String, Codable { case new, used }

@Model final class Item {
  var condition: Condition = .new
  init() {}
}
