// A model belongs to its context's isolation, which may be any.
// wake: main actor-isolated
import Reprise

@MainActor @Model final class Item {  // error: a model cannot belong to an actor
  var name: String = ""
}
