import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds

/// Random conditions on items, each with what it says in plain Swift, and random edits that change what they find.
struct RandomItems {
  typealias Test = (fetch: (Item.Fields) -> Condition<Item>, holds: (Item) -> Bool)

  let names = ["", "a", "aa", "ab", "b", "ba", "c"]

  func test(_ people: [Person.ID], _ items: [Item], _ random: inout SeededGenerator) -> Test {
    if Bool.random(using: &random) { return laterTest(people, items, &random) }
    let number = Int.random(in: 0..<40, using: &random)
    let name = names.randomElement(using: &random) ?? ""
    let owner = people.randomElement(using: &random)
    if Int.random(in: 0..<3, using: &random) == 0 { return combined(people, items, &random) }
    switch Int.random(in: 0..<18, using: &random) {
    case 0: return ({ _ in Condition(true) }, { _ in true })
    case 1: return ({ $0.valueInDollars > number }, { $0.valueInDollars > number })
    case 2: return ({ $0.valueInDollars <= number }, { $0.valueInDollars <= number })
    case 3: return ({ $0.name.hasPrefix(name) }, { $0.name.hasPrefix(name) })
    case 4: return ({ $0.name == name }, { $0.name == name })
    case 5: return ({ $0.weight > Double(number) }, { $0.weight.map { $0 > Double(number) } ?? false })
    case 6: return ({ $0.isInsured == true }, { $0.isInsured })
    case 7: return ({ $0.owner == owner }, { $0.owner?.id == owner })
    case 8:
      return (
        { $0.owner == owner && $0.valueInDollars > number }, { $0.owner?.id == owner && $0.valueInDollars > number }
      )
    case 9:
      return ({ $0.valueInDollars > number && $0.name != name }, { $0.valueInDollars > number && $0.name != name })
    case 10: return ({ $0.owner.zip > number }, { $0.owner.map { $0.zip > number } ?? false })
    case 11: return ({ $0.name != name }, { $0.name != name })
    case 12:
      let several = [name, names.randomElement(using: &random) ?? ""]
      return ({ $0.name.isIn(several) }, { several.contains($0.name) })
    case 13:
      let several = people.filter { _ in Bool.random(using: &random) }
      return ({ $0.owner.isIn(several) }, { $0.owner.map { several.contains($0.id) } ?? false })
    case 14: return ({ $0.owner.boss == owner }, { $0.owner.map { $0.boss?.id == owner } ?? (owner == nil) })
    case 15: return ({ $0.owner.zip == number }, { $0.owner.map { $0.zip == number } ?? false })
    case 16:
      return (
        { $0.owner.items.any { $0.name == name } }, { $0.owner?.items.contains { $0.name == name } ?? false }
      )
    default: return ({ $0.valueInDollars == number }, { $0.valueInDollars == number })
    }
  }

  func combined(_ people: [Person.ID], _ items: [Item], _ random: inout SeededGenerator) -> Test {
    let left = test(people, items, &random)
    let right = test(people, items, &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return ({ left.fetch($0) && right.fetch($0) }, { left.holds($0) && right.holds($0) })
    case 1: return ({ left.fetch($0) || right.fetch($0) }, { left.holds($0) || right.holds($0) })
    default: return ({ !left.fetch($0) }, { !left.holds($0) })
    }
  }

  func laterTest(_ people: [Person.ID], _ items: [Item], _ random: inout SeededGenerator) -> Test {
    let number = Int.random(in: 0..<40, using: &random)
    let name = names.randomElement(using: &random) ?? ""
    let owner = people.randomElement(using: &random)
    let some = (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in items.randomElement(using: &random) }
    let ids = some.map(\.id)
    switch Int.random(in: 0..<17, using: &random) {
    case 0: return ({ Condition($0.isInsured) }, { $0.isInsured })
    case 1:
      return ({ !$0.isInsured || $0.valueInDollars > number }, { !$0.isInsured || $0.valueInDollars > number })
    case 2: return ({ $0.id == ids.first }, { $0.id == ids.first })
    case 3:
      return ({ $0.id.isIn(ids) && $0.valueInDollars > number }, { ids.contains($0.id) && $0.valueInDollars > number })
    case 4: return ({ $0.id.isIn(ids) || $0.id == nil }, { ids.contains($0.id) })
    case 5: return ({ $0.id != ids.first && $0.owner.id == owner }, { $0.id != ids.first && $0.owner?.id == owner })
    case 6:
      let first = ids.first
      return (
        { field in first.map { field.owner.items.contains($0) } ?? Condition(false) },
        { $0.owner?.items.contains { $0.id == first } ?? false }
      )
    case 7: return ({ !$0.owner.items.isEmpty }, { $0.owner != nil })
    case 8: return ({ $0.valueInDollars * 2 - 5 > number }, { $0.valueInDollars * 2 - 5 > number })
    case 9:
      return (
        { 20 / $0.valueInDollars == $0.owner.zip / 10 },
        { ($0.valueInDollars == 0 ? nil : 20 / $0.valueInDollars) == $0.owner.map { $0.zip / 10 } }
      )
    case 10:
      return (
        { $0.valueInDollars.asDouble < $0.weight * 1.5 },
        { item in item.weight.map { Double(item.valueInDollars) < $0 * 1.5 } ?? false }
      )
    case 11: return ({ $0.name.hasSuffix(name) }, { $0.name.hasSuffix(name) })
    case 12: return ({ $0.name.like("?" + name + "*") }, { $0.name.dropFirst().hasPrefix(name) && $0.name != "" })
    case 13: return ({ $0.name.matches("[ab]*c?") }, { $0.name.allSatisfy { "abc".contains($0) } })
    case 14: return ({ $0.name.equals("AB", .ignoringCase) }, { $0.name == "ab" })
    case 15:
      return (
        {
          .any([$0.name == name, $0.valueInDollars.isIn(number...30 + number), .all([])])
            && .any([$0.isInsured == true])
        },
        { $0.isInsured }
      )
    default:
      return (
        { (number..<number + 5).contains($0.valueInDollars) }, { (number..<number + 5).contains($0.valueInDollars) }
      )
    }
  }

  func edit(_ context: EditingContext, _ people: [Person.ID], _ random: inout SeededGenerator) throws {
    let items = try context.fetch(Fetch<Item>())
    guard let item = items.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 else {
      let item = context.insert(Item(name: names.randomElement(using: &random) ?? ""))
      item.valueInDollars = Int.random(in: 0..<40, using: &random)
      return
    }
    if Int.random(in: 0..<8, using: &random) == 0, let person = people.randomElement(using: &random) {
      let person = try context.object(person)
      person.zip = Int.random(in: 0..<40, using: &random)
      person.boss = try people.randomElement(using: &random).map { try context.object($0) }
    }
    switch Int.random(in: 0..<7, using: &random) {
    case 6: for _ in 0..<Int.random(in: 0..<3, using: &random) { context.undo() }
    case 0: item.name = names.randomElement(using: &random) ?? ""
    case 1: item.valueInDollars = Int.random(in: 0..<40, using: &random)
    case 2: item.weight = Bool.random(using: &random) ? nil : Double(Int.random(in: 0..<40, using: &random))
    case 3: item.isInsured.toggle()
    case 4: item.owner = try people.randomElement(using: &random).map { try context.object($0) }
    default: context.delete(item)
    }
  }
}
