// A derived attribute would not follow a change of another object.
import Reprise

@Model final class Item {
  var name: String = ""
  @Relationship(inverse: \Person.items) var owner: Person?
  @Attribute(.derived) var ownerName: String { owner?.name ?? "" }  // error: cannot use the relationship 'owner'
  @Attribute(.derived) var title: String { "\(name) of \(self.label)" }  // error: 'owner', which 'label' uses
  @Attribute(.derived) var known: String? {
    if let owner { owner.name } else { nil }  // error: cannot use the relationship 'owner'
  }
  @Attribute(.derived) var short: String {
    let owner = name.first
    return owner.map { String($0) } ?? Box(owner: name).owner
  }
  var label: String { described() }
  func described() -> String { owner?.name ?? "nobody" }
  init() {}
}

struct Box { var owner: String }

@Model final class Person {
  var name: String = ""
  var items: ToMany<Item>
  @Attribute(.derived) var count: Int { items.count }  // error: cannot use the relationship 'items'
  init() {}
}
