// expansion: cannot convert value of type
// wake: type 'Any' has no member
// A range of texts is none of numbers.
import Reprise

@Model final class Item {
  @Attribute(.range("a"..."b")) var count: Int = 0
}
