// Values also change by undo, discard and other contexts, where no observer would be called.
import Reprise

@Model final class Item {
  var name: String {
    didSet {}  // error: a persisted property cannot have 'didSet'
  }
  init(name: String) { self.name = name }
}

func use(_ item: Item) { print(item.id, item.snapshot.name) }
