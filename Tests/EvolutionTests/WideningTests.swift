import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

/// An attribute that becomes optional locks out no program that takes it for a required one.
final class WideningTests: XCTestCase {
  private let test = ShapedStore()

  private func required() -> any PersistentModel.Type {
    ShapeA.named(
      "Gauge", .attribute("level", Int.self, default: 7, indexed: true), .attribute("name", String.self),
      .index(["name", "level"]))
  }

  private func optional() -> any PersistentModel.Type {
    ShapeB.named(
      "Gauge", .attribute("level", Int?.self, default: 7, indexed: true), .attribute("name", String.self),
      .index(["name", "level"]))
  }

  private func levels(_ store: Store) throws -> [String: PropertyValue] {
    var levels: [String: PropertyValue] = [:]
    for gauge in try RootContext(store).fetch(Fetch<ShapeB>()) {
      if case .string(let name) = gauge["name"] { levels[name] = gauge["level"] }
    }
    return levels
  }

  func testProgramsOfBothKindsOpenTheStoreInTurn() async throws {
    var store = try await test.open(required())
    var context = RootContext(store)
    for name in ["a", "b"] { context.insert(ShapeA(["name": name, "level": 1])) }
    try await context.save()
    try await store.close()
    store = try await test.open(optional())
    context = RootContext(store)
    try XCTUnwrap(try context.fetch(Fetch<ShapeB>()).first)["level"] = .null
    try await context.save()
    try await store.close()
    for turn in 1...2 {
      // The release before.
      store = try await test.open(required())
      XCTAssertEqual(store.warnings, [])
      context = RootContext(store)
      let gauges = try context.fetch(Fetch<ShapeA>())
      let level: Int = gauges[0]._storage.get(0)
      XCTAssertEqual(level, 7, "there is none")
      XCTAssertEqual(gauges[0]._storage.state, .unreadable)
      guard case .unreadableValue? = context.readErrors[gauges[0].id.any] else {
        return XCTFail("\(context.readErrors)")
      }
      gauges[0]["name"] = .string("a\(turn)")
      gauges[1]["level"] = .int(Int64(turn))
      context.insert(ShapeA(["name": "new \(turn)", "level": turn]))
      try await context.save()
      try await assertSound(store)
      try await store.close()
      store = try await test.open(optional())
      XCTAssertEqual(
        try levels(store).filter { !$0.key.hasPrefix("new") }, ["a\(turn)": .null, "b": .int(Int64(turn))])
      XCTAssertEqual(try levels(store)["new \(turn)"], .int(Int64(turn)))
      try await assertSound(store)
      try await store.close()
      if turn == 1 { try await StoreMaintenance.rebuild(test.path) }
    }
  }

  func testAPreviewNamesValuesThatATypeCannotHold() async throws {
    let store = try await test.open(required())
    let context = RootContext(store)
    let gauges = [1, 5_000_000_000].map { context.insert(ShapeA(["name": "a", "level": $0])) }
    try await context.save()
    try await store.close()
    let narrow = ShapeC.named("Gauge", .attribute("level", Int8.self, indexed: true), .attribute("name", String.self))
    let preview = try await StoreMaintenance.preview(MigrationPlan(), of: test.path, for: Schema([narrow]))
    XCTAssertEqual(preview.unreadable.map(\.type), ["Int8"])
    XCTAssertEqual(preview.unreadable.map(\.objects), [1])
    XCTAssertEqual(preview.unreadable.first?.values.map(\.object), [gauges[1].id.any])
    XCTAssertEqual(preview.unreadable.first?.values.map(\.value), [.int(5_000_000_000)])
    let wide = try await StoreMaintenance.preview(MigrationPlan(), of: test.path, for: Schema([required()]))
    XCTAssertEqual(wide.unreadable, [])
  }

  func testAnAttributeThatWasAlwaysOptionalIsNotNarrowed() async throws {
    try await test.open(optional()).close()
    do {
      _ = try await test.open(required())
      XCTFail("there may be none")
    } catch StoreError.incompatible(entity: "Gauge", property: "level", _, _) {}
  }
}
