// The properties of a base class would not be stored, whatever the base is.
import Reprise

class Base {
  var owner = ""
}
class Generic<Value> {}
protocol Named: AnyObject { var name: String { get } }
protocol Aged: PersistentModel {}

@Model final class Item: Base {  // error: both 'ThisModel : _HasNoBaseClass' and 'ThisModel : Base'
  var count: Int = 0
  override init() {}
}

@Model
final class Box: Generic<Int>,  // error: both 'ThisModel : _HasNoBaseClass' and 'ThisModel : Generic<Int>'
  Named
{
  var name: String = ""
  override init() {}
}

@Model final class Note: Base & Named {  // error: both 'ThisModel : _HasNoBaseClass' and 'ThisModel : Base'
  var name: String = ""
  override init() {}
}

@Model final class Person: Named, Aged {
  var name: String = ""
  init() {}
}
