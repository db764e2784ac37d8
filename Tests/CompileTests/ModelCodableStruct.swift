// expansion: a Codable type of an attribute must conform to 'CodableAttribute', as in 'struct …: CodableAttribute'
// wake: AttributeValue
import Reprise

struct Address: Codable {
  var street = ""
}

@Model final class Person {
  var address: Address? = nil
  init() {}
}
