// Everything that a fetch may say, and as much of it as people write at once: the type checker must not give up.
// flags: -Xfrontend -solver-scope-threshold=200000
import Foundation
import Reprise

@Model final class Item {
  @Attribute(.indexed) var name: String
  var price: Double? = nil
  var count: Int = 0
  var isDone: Bool = false
  var start: Date = Date.distantPast
  var due: Date? = nil
  @Relationship(inverse: \Person.items) var owner: Person?
  init(name: String) { self.name = name }
}

@Model final class Person {
  var name: String = ""
  @Relationship(inverse: \Person.reports) var boss: Person?
  var items: ToMany<Item>
  var reports: ToMany<Person>
  init() {}
}

struct Conditions {
  let ada: Person
  let boss: Person?
  let names: [String]
  let ids: Set<Item.ID>

  func truths() -> [Fetch<Item>] {
    [
      Fetch { $0.isDone }, Fetch { !$0.isDone }, Fetch { $0.isDone && $0.count > 3 },
      Fetch { $0.count > 3 || !$0.isDone }, Fetch { $0.isDone || $0.isDone }, Fetch().filter { $0.isDone },
      Fetch { .all([$0.name == "a", !$0.isDone]) }, Fetch { item in .any(names.map { item.name == $0 }) },
    ]
  }

  func owners() -> [Fetch<Item>] {
    [
      Fetch { [ada].contains($0.owner) }, Fetch { [ada.id].contains($0.owner) },
      Fetch().sorted { $0.due }.sectioned { $0.due.day() }, Fetch().sorted { $0.name }.sectioned { $0.owner },
      Fetch().sorted { [$0.owner.name.ascending(nils: .last), $0.name.descending] },
    ]
  }

  func assignments(_ context: RootContext, _ nobody: Person?) throws -> [Person.ID] {
    try context.update(Fetch<Item>()) { $0.owner.set(to: ada) }
    try context.update(Fetch<Item>()) { $0.owner.set(to: ada.id) }
    try context.update(Fetch<Item>()) { $0.owner.set(to: nobody) }
    try context.update(Fetch<Item>()) { $0.owner.set(to: nil) }
    return try context.distinct(Fetch<Item>()) { $0.owner }
  }

  func people() -> [Fetch<Person>] {
    [
      Fetch { $0.items.any { $0.isDone } }, Fetch { $0.items.all { $0.isDone && $0.count > 3 } },
      Fetch {
        $0.reports.any { $0.reports.any { $0.reports.any { $0.items.all { $0.isDone } && !$0.items.isEmpty } } }
      },
      Fetch { $0.items.any { ids.contains($0.id) } || $0.id == ada.id || $0.boss.id == boss?.id || $0.boss == boss },
      Fetch { $0.reports.contains(ada) && !$0.reports.contains(ada.id) && $0.id.isIn([ada.id]) },
    ]
  }

  func long() -> Fetch<Item> {
    Fetch {
      $0.owner.name == "Ada" && $0.count > 10 && $0.name != "x" && !($0.price < 3) && $0.owner.boss.name <= "z"
        && ($0.isDone || $0.isDone == false) && $0.name.hasPrefix("T") && $0.isDone
        && $0.name.contains("ABL", .ignoringCase) && $0.owner.items.count == 2
        && $0.owner.items.any { $0.count < 100 || $0.isDone } && $0.owner == ada && $0.owner.boss.name == nil
        && $0.count.isIn([1, 200]) && (1...5).contains($0.count) && names.contains($0.name)
        && $0.name.equals("ada", [.ignoringCase, .ignoringDiacritics]) && $0.name.like("a?b*")
    }
  }

  // One by one: an array of them would be one expression.

  func product() -> Fetch<Item> { Fetch { $0.price * 2 > 100 } }

  func converted() -> Fetch<Item> {
    Fetch { $0.count.asDouble * $0.price > 100 && $0.price - 1.5 < 2 * $0.price }
  }

  func polynomial() -> Fetch<Item> {
    Fetch { ($0.count + 1) * ($0.count + 2) * ($0.owner.items.count - 3) / 4 >= 2 * $0.count && $0.isDone }
  }

  func counts() -> Fetch<Item> {
    Fetch { 100 - $0.count * 2 > $0.owner.items.count * $0.owner.reports.count + 3 }
  }

  func dates() -> Fetch<Item> {
    Fetch { $0.due - $0.start > 3_600 && $0.start + 86_400 < Date.now && $0.due - Date.now < 604_800 }
  }

  func searches(_ typed: String) -> Fetch<Item> {
    Fetch {
      ($0.name.contains(words: typed, .whileTyping) || $0.owner.name.contains(words: typed, .whileTyping))
        && !$0.name.contains(words: "sold broken", .anyWord) && $0.isDone
    }
  }

  func orders() throws -> [Fetch<Item>] {
    let name = try Field<Item, String>(named: "owner.name")
    return [
      Fetch().sorted { $0.name }, Fetch().sorted { $0.owner.name }, Fetch().sorted { [$0.name, $0.due.descending] },
      Fetch().sorted { [$0.owner.name, $0.name, $0.count] }, Fetch().sorted { [$0.name.ascending] },
      Fetch().sorted { $0.due.ascending(nils: .last) }, Fetch().sorted { -$0.count },
      Fetch().sorted { $0.id.descending },
      Fetch().sorted { [$0.due - $0.start, ($0.count.asDouble * $0.price).descending, $0.id] },
      Fetch().sorted { _ in [] }, Fetch().sorted { _ in [name, name.descending] },
    ]
  }
}
