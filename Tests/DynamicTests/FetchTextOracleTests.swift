import RepriseDynamic
import RepriseObjectGraph
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// A text finds the objects that plain Swift finds: the test writes the texts, not the library.
final class FetchTextOracleTests: XCTestCase {
  private struct Tested {
    let text: String
    /// 1 for `or`, 2 for `and`, 3 for the rest.
    let binding: Int
    let holds: (Item) -> Bool

    func text(binding least: Int) -> String { binding < least ? "(\(text))" : text }
  }

  private static let leaves: [(text: String, holds: @Sendable (Item) -> Bool)] = [
    ("valueInDollars > 2", { $0.valueInDollars > 2 }), ("2 >= valueInDollars", { $0.valueInDollars <= 2 }),
    ("isInsured", { $0.isInsured }), ("weight is nil", { $0.weight == nil }), ("weight >= 2", { $0.weight ?? 0 >= 2 }),
    ("name contains[c] \"TEA\"", { $0.name.lowercased().contains("tea") }), ("name == \"té\"", { $0.name == "té" }),
    ("name not in (\"chair\", \"té\")", { !["chair", "té"].contains($0.name) }),
    ("owner.name == \"Ada\"", { $0.owner?.name == "Ada" }), ("owner.boss is not nil", { $0.owner?.boss != nil }),
    ("valueInDollars not between 1 and 3", { !(1...3).contains($0.valueInDollars) }),
    ("count(owner.items) = 3", { $0.owner?.items.count == 3 }), ("true", { _ in true }),
    ("any owner.items where (name begins \"t\")", { $0.owner?.items.contains { $0.name.hasPrefix("t") } ?? false }),
    ("none owner.items where (isInsured)", { !($0.owner?.items.contains { $0.isInsured } ?? false) }),
    (
      "1 + valueInDollars * 2 < 10 - owner.zip / 2 / 5",
      { item in item.owner.map { 1 + item.valueInDollars * 2 < 10 - $0.zip / 2 / 5 } ?? false }
    ),
    ("(1 + valueInDollars) * 2 == -(-(4))", { (1 + $0.valueInDollars) * 2 == 4 }),
    (
      "double(valueInDollars) - weight > -0.5",
      { item in item.weight.map { Double(item.valueInDollars) - $0 > -0.5 } ?? false }
    ),
  ]

  private func tested(_ depth: Int, _ random: inout SeededGenerator) -> Tested {
    guard depth > 0, Int.random(in: 0..<5, using: &random) > 0 else {
      let leaf = Self.leaves.randomElement(using: &random)!
      return Tested(text: leaf.text, binding: 3, holds: leaf.holds)
    }
    let left = tested(depth - 1, &random)
    if Int.random(in: 0..<4, using: &random) == 0 {
      return Tested(text: "not " + left.text(binding: 3), binding: 3) { !left.holds($0) }
    }
    let right = tested(depth - 1, &random)
    if Bool.random(using: &random) {
      let text = "\(left.text(binding: 2)) and \(right.text(binding: 2))"
      return Tested(text: text, binding: 2) { left.holds($0) && right.holds($0) }
    }
    return Tested(text: "\(left.text) or \(right.text)", binding: 1) { left.holds($0) || right.holds($0) }
  }

  func testATextFindsWhatSwiftFinds() throws {
    let test = try TextStore()
    let all = try test.context.fetch(Fetch<Item>())
    for seed in testSeeds(10) {
      var random = SeededGenerator(seed: seed)
      for _ in 0..<60 {
        let tested = tested(4, &random)
        let fetch = try Fetch<Item>(text: "where " + tested.text)
        let found = try test.context.fetch(fetch).map(\.id)
        XCTAssertEqual(found, all.filter(tested.holds).map(\.id), "seed \(seed): \(tested.text)")
        let again = try Fetch<Item>(text: fetch.text)
        XCTAssertEqual(again, fetch, "seed \(seed): \(tested.text)")
      }
    }
  }
}
