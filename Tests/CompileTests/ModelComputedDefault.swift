// The default stands in the schema, and is evaluated for each object that comes from the store.
import Reprise

@Model final class Item {
  var number: Int = .random(in: 0...9)  // error: must be a constant
  init() {}
}

func use(_ item: Item) { print(item.id, item.snapshot.number) }
