// The initialiser for objects from the store must not hide that there is no other.
import Reprise

@Model final class Item {  // error: a model needs an initialiser
  var name: String
}

func use(_ item: Item) { print(item.id, item.snapshot.name) }
