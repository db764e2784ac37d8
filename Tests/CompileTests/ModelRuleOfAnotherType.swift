// Rules fit the types of their attributes, and only what is computed can be derived.
import Reprise

enum Colour: String, AttributeValue { case red, green }

@Model final class Item {
  @Attribute(.pattern("[0-9]+")) var count: Int = 0  // error: only a text has a pattern
  @Attribute(.required) var total: Int = 0  // error: 'Int' is never nil
  @Attribute(.required) var tone: Colour = .red
  @Attribute(.required) var remark: String? = nil
  @Attribute(.range(1...20)) var code: String = ""  // error: a text has no range of numbers
  @Attribute(.length(1...3)) var weight: Double = 0  // error: 'Double' has no length
  @Attribute(.derived) var name: String = ""  // error: '.derived' is for computed properties
  @Attribute(.derived) var colour: Colour { .red }  // error: a derived attribute of type 'Colour' must be optional
  @Attribute(.derived, .lastWriter) var title: String { name }  // error: a derived attribute is not merged
  @Attribute(.indexed) var label: String { name }  // error: a computed property is not persisted
}
