// An object of a store has an identity.
import Reprise

@Model struct Item {  // error: '@Model' is for classes
  @Attribute(.indexed) var name: String
}

func use(_ item: Item) -> String { item.name }
