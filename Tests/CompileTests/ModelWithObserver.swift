// Values also change by undo, discard and other contexts, where no observer would be called.
import Reprise

@Model final class Item {
  var name: String {
    didSet {}  // error: 'didSet' of a persisted property would never be called
  }
  init(name: String) { self.name = name }
}

func use(_ item: Item) { print(item.id, item.snapshot.name) }
