// An object gets its values after it is made.
import Reprise

@Model final class Item {
  let name: String  // error: must be 'var'
  init(name: String) { self.name = name }
}

func use(_ item: Item) { print(item.id, item.snapshot.name, item.name) }
