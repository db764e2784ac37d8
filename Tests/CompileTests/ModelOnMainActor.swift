// An object belongs to the isolation of its context, not to an actor.
import Reprise

@MainActor  // error: a model cannot belong to an actor
@Model final class Item {
  var name: String
  init(name: String) { self.name = name }
}

@MainActor func use(_ item: Item) { print(item.id, item.snapshot, item.name) }
