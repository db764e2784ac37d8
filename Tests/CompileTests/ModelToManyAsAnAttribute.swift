// expansion: a property that holds models is a to-many relationship: its type is 'ToMany<…>'
// wake: AttributeValue
// wake: non-Sendable type 'Part'
import Reprise

@Model final class Item {
  @Attribute var parts: [Part]?
  init() {}
}

@Model final class Part {
  var name: String = ""
}
