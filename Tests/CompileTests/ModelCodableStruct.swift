// expansion: a Codable type is stored once it names the protocol: 'struct …: CodableAttribute'
// wake: AttributeValue
import Reprise

struct Address: Codable {
  var street = ""
}

@Model final class Person {
  var address: Address? = nil
  init() {}
}
