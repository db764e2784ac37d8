// Another version of the program may have stored a raw value that this enum has no case for.
import Reprise

enum Condition: String, AttributeValue { case new, used }

@Model final class Item {
  var condition: Condition  // error: needs a default value or must be optional
  init(condition: Condition) { self.condition = condition }
}

func use(_ item: Item) { print(item.id, item.snapshot.condition) }
