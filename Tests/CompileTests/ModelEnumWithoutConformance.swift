// expansion: the type of an attribute must conform to 'AttributeValue', as in 'enum …: String, AttributeValue'
// wake: AttributeValue
import Reprise

enum Condition: String { case new, used }

@Model final class Item {
  var condition: Condition = .new
  var former: Condition? = nil
  init() {}
}
