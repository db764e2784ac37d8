// expansion: requires that 'Money' conform to 'AttributeValue'
// wake: AttributeValue
// wake: non-Sendable type 'Money'
// A type becomes an attribute by conforming to AttributeValue.
import Reprise

public struct Money { public var cents = 0 }

@Model final class Item {
  var price: Money?
}
