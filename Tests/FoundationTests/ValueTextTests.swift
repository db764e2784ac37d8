import Foundation
import RepriseEventStore
import RepriseFoundation
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Messages show a value as its type does, and not as a number of bytes.
final class ValueTextTests: XCTestCase {
  private let path = NSTemporaryDirectory() + "reprise-texts-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func decimal(_ text: String) throws -> Decimal { try XCTUnwrap(Decimal(string: text)) }

  private func refusal(of context: RootContext) async throws -> SaveRefusal {
    do {
      try await context.save()
    } catch SaveError.refused(let refusal) {
      return refusal
    }
    throw WasSaved()
  }

  private struct WasSaved: Error {}

  func testAConflictShowsValuesAsTheirTypesDo() async throws {
    let store = try await Store.open(path, for: Schema(Ware.self))
    let context = RootContext(store)
    let ware = context.insert(Ware())
    ware.price = 1
    ware.colours = [.red]
    try await context.save()
    let other = RootContext(store)
    let same = try other.object(ware.id)
    same.price = try decimal("19.99")
    same.colours = [.green]
    same.lasts = .seconds(2)
    try await other.save()
    ware.price = try decimal("9.5")
    ware.colours = [.red, .green]
    ware.lasts = .seconds(3)
    let texts = try await refusal(of: context).conflicts.map(\.description).sorted()
    XCTAssertEqual(
      texts,
      [
        "\(ware.id.any).colours: was [\"red\"], mine [\"red\", \"green\"], theirs [\"green\"]",
        "\(ware.id.any).lasts: was 0.0 seconds, mine 3.0 seconds, theirs 2.0 seconds",
        "\(ware.id.any).price: was 1, mine 9.5, theirs 19.99",
      ])
    try await store.close()
  }

  func testABrokenRuleShowsValuesAsTheirTypesDo() async throws {
    let store = try await Store.open(path, for: Schema(Ware.self))
    let context = RootContext(store)
    let wares = (0..<2).map { _ in context.insert(Ware()) }
    wares[0].price = try decimal("250.5")
    for ware in wares { ware.code = try decimal("7.25") }
    let messages = try await refusal(of: context).violations.map(\.message)
    XCTAssertTrue(messages.contains("has price 250.5, which is not in 0...100"), "\(messages)")
    XCTAssertTrue(messages.contains { $0.hasPrefix("has code 7.25, and so has ") }, "\(messages)")
    try await store.close()
  }

  func testAValueThatIsRefusedIsShownAsItsTypeDoes() async throws {
    let ware = Ware()
    XCTAssertThrowsError(try ware.set("colours", to: ["blue"].propertyValue)) { error in
      XCTAssertTrue("\(error)".contains("its type in the model, cannot hold [\"blue\"]"), "\(error)")
      XCTAssertTrue("\(error)".contains("Colour"), "\(error)")
    }
    let many = (0..<10_000).map { "colour \($0)" }
    XCTAssertThrowsError(try ware.set("colours", to: many.propertyValue)) { error in
      XCTAssertTrue("\(error)".contains("[\"colour 0\", \"colour 1\", "), "\(error)")
      XCTAssertTrue("\(error)".contains("…"), "\(error)")
      XCTAssertLessThan("\(error)".count, 500)
    }
    XCTAssertThrowsError(try ware.set("price", to: .bytes([9, 9]))) { error in
      XCTAssertTrue("\(error)".contains("Decimal, its type in the model, cannot hold 2 bytes"), "\(error)")
    }
  }

  func testAnUnreadableArrayIsShownByItsElements() async throws {
    var store = try await Store.open(path, for: Schema(OldWare.self))
    let old = RootContext(store)
    old.insert(OldWare()).colours = ["red", "blue"]
    try await old.save()
    try await store.close()
    store = try await Store.open(path, for: Schema(Ware.self))
    let context = RootContext(store)
    let ware = try XCTUnwrap(try context.fetch(Fetch<Ware>()).first)
    XCTAssertEqual(ware.colours, [])
    let reason = try XCTUnwrap(context.readErrors[ware.id.any])
    XCTAssertTrue("\(reason)".contains("holds [\"red\", \"blue\"]. Its type in the model, Array<Colour>,"), "\(reason)")
    let colours = try Field<Ware, [Colour]>(named: "colours")
    XCTAssertThrowsError(try context.distinct(Fetch<Ware>()) { _ in colours }) { error in
      let text = """
        is ["red", "blue"] for \(ware.id.any). Its type in the model, Array<Colour>, cannot hold this value. Assign \
        another value, or declare a type that can hold it.
        """
      XCTAssertTrue("\(error)".contains(text), "\(error)")
    }
    try await store.close()
  }

  func testEachTypeShowsItsValues() throws {
    let price = try decimal("19.99")
    func text<Value: AttributeValue>(_ value: Value) -> String { value.propertyValue.text(as: Value.self) }
    XCTAssertEqual(text(price), "19.99")
    XCTAssertEqual(text(price as Decimal?), "19.99")
    XCTAssertEqual(text(nil as Decimal?), "nil")
    XCTAssertEqual(text([price, 1]), "[19.99, 1]")
    XCTAssertEqual(text([[price], []]), "[[19.99], []]")
    XCTAssertEqual(text(Set([price])), "[19.99]")
    XCTAssertEqual(text(["tea": price]), "[\"tea\": 19.99]")
    XCTAssertEqual(text([:] as [String: Decimal]), "[:]")
    XCTAssertEqual(text(Data([1, 2, 3])), "3 bytes")
    XCTAssertEqual(text([1, 2, 3] as [UInt8]), "3 bytes")
    XCTAssertEqual(text(7), "7")
    XCTAssertEqual(text(String(repeating: "x", count: 1_000)), "\"" + String(repeating: "x", count: 99) + "…")
  }
}

private enum Colour: String, AttributeValue {
  case red
  case green
}

private final class Ware: TestModel {
  static let entity = Entity(
    Ware.self, name: "Ware",
    properties: [
      .attribute("price", Decimal.self, default: 0, rules: [.range(0...100)]),
      .attribute("colours", [Colour].self),
      .attribute("lasts", Duration.self, default: .zero),
      .attribute("code", Decimal?.self),
      .unique(["code"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  @Stored(0) var price: Decimal
  @Stored(1) var colours: [Colour]
  @Stored(2) var lasts: Duration
  @Stored(3) var code: Decimal?
}

/// Of an earlier version, whose colours are any texts.
private final class OldWare: TestModel {
  static let entity = Entity(OldWare.self, name: "Ware", properties: [.attribute("colours", [String].self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  @Stored(0) var colours: [String]
}
