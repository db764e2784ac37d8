import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

/// A rename that a store skipped is no loss in the migrations that came after it.
final class PlannedRenameTests: XCTestCase {
  private let test = ShapedStore()
  private let toPay = EntityMapping.move("Card", to: "Pay")

  private func card() -> any PersistentModel.Type {
    ShapeA.named("Card", .attribute("title", String.self), .attribute("amount", Int.self))
  }

  private func pay() -> any PersistentModel.Type {
    ShapeC.named("Pay", .attribute("name", String.self), .attribute("amount", Int.self))
  }

  /// Two cards of the first version.
  private func fill() async throws {
    let store = try await test.open(card())
    let context = RootContext(store)
    for number in 1...2 { context.insert(ShapeA(["title": "\(number)", "amount": number])) }
    try await context.save()
    try await store.close()
  }

  private let titles: Set<PropertyValue> = [.string("1"), .string("2")]

  private func names(_ store: Store) throws -> Set<PropertyValue> {
    Set(try RootContext(store).fetch(Fetch<ShapeC>()).map { $0["name"] })
  }

  func testARenameInThePlanReachesAStoreThatSkippedIt() async throws {
    let plan = [
      Migration(
        to: 1, "Payments", renaming: [.property("title", of: "Card", to: "name")],
        mapping: [
          .move(
            "Card", to: "Pay", setting: [.init("label", String.self) { "\($0.value("name", as: String.self) ?? "")!" }])
        ])
    ]
    for isSkipped in [true, false] {
      try await fill()
      if !isSkipped {
        let renamed = ShapeB.named(
          "Card", .attribute("name", String.self, was: "title"), .attribute("amount", Int.self))
        try await test.open(renamed).close()
      }
      let pay = ShapeC.named(
        "Pay", .attribute("name", String.self), .attribute("label", String.self), .attribute("amount", Int.self))
      for isRebuilt in [false, true] {
        if isRebuilt { try await StoreMaintenance.rebuild(test.path) }
        let store = try await test.open([pay], plan)
        XCTAssertEqual(try names(store), titles)
        let labels = try RootContext(store).fetch(Fetch<ShapeC>()).map { $0["label"] }
        XCTAssertEqual(Set(labels), [.string("1!"), .string("2!")])
        XCTAssertEqual(store.warnings, [])
        try await assertSound(store)
        try await store.close()
      }
      try FileManager.default.removeItem(atPath: test.path)
    }
  }

  func testARenamedEntityInThePlanIsFoundByLaterSteps() async throws {
    let plan = [
      Migration(
        to: 1, "Payments",
        renaming: [.entity("Card", to: "Ticket"), .property("title", of: "Ticket", to: "name")],
        mapping: [.move("Ticket", to: "Pay")])
    ]
    for isSkipped in [true, false] {
      try await fill()
      if !isSkipped {
        let ticket = ShapeB.named(
          "Ticket", was: ["Card"], [.attribute("name", String.self, was: "title"), .attribute("amount", Int.self)])
        try await test.open(ticket).close()
      }
      let preview = try await StoreMaintenance.preview(MigrationPlan(plan), of: test.path, for: Schema([pay()]))
      XCTAssertEqual(preview.unmatchedSteps, [])
      XCTAssertEqual(preview.mappings.map(\.objects), [2])
      let store = try await test.open([pay()], plan)
      XCTAssertEqual(try names(store), titles)
      try await assertSound(store)
      try await store.close()
      try FileManager.default.removeItem(atPath: test.path)
    }
  }

  func testAnEarlierMoveKnowsALaterRename() async throws {
    try await fill()
    let plan = [
      Migration(to: 1, "Payments", mapping: [toPay]),
      Migration(
        to: 2, "Bills", renaming: [.property("title", of: "Pay", to: "name")], mapping: [.move("Pay", to: "Bill")]),
    ]
    let bill = ShapeC.named("Bill", .attribute("name", String.self), .attribute("amount", Int.self))
    let store = try await test.open([bill], plan)
    XCTAssertEqual(try names(store), titles)
    try await assertSound(store)
    try await store.close()
  }

  func testARenamedAttributeIsConvertedAndMoved() async throws {
    let numbers = AttributeConversion("name", of: "Card", from: String.self, to: Int.self) { Int($0) ?? 0 }
    let pay = ShapeC.named("Pay", .attribute("name", Int.self), .attribute("amount", Int.self))
    let move = Migration(to: 2, "Payments", mapping: [toPay])
    try await fill()
    try await expectRefusal([pay], [Migration(to: 1, "Numbers", numbers), move])
    let plan = [
      Migration(to: 1, "Numbers", numbers, renaming: [.property("title", of: "Card", to: "name")]), move,
    ]
    for isRebuilt in [false, true] {
      if isRebuilt { try await StoreMaintenance.rebuild(test.path) }
      let store = try await test.open([pay], plan)
      XCTAssertEqual(try names(store), [.int(1), .int(2)])
      try await assertSound(store)
      try await store.close()
    }
  }

  func testAMoveTakesOverAnAttributeByItsFormerName() async throws {
    for isSkipped in [true, false] {
      try await fill()
      if !isSkipped {
        let renamed = ShapeB.named(
          "Card", .attribute("name", String.self, was: "title"), .attribute("amount", Int.self))
        try await test.open(renamed).close()
      }
      let pay = ShapeC.named(
        "Pay", .attribute("name", String.self, was: "title"), .attribute("amount", Int.self))
      let store = try await test.open([pay], [Migration(to: 1, "Payments", mapping: [toPay])])
      XCTAssertEqual(try names(store), titles)
      try await assertSound(store)
      try await store.close()
      try FileManager.default.removeItem(atPath: test.path)
    }
  }

  // MARK: What is left behind

  private func expectRefusal(
    _ models: [any PersistentModel.Type], _ plan: [Migration], line: UInt = #line
  ) async throws {
    let expected = [PossibleRename(entity: "Pay", property: "name", formers: ["title"], source: "Card")]
    let preview = try await StoreMaintenance.preview(MigrationPlan(plan), of: test.path, for: Schema(models))
    XCTAssertEqual(preview.possibleRenames, expected, line: line)
    do {
      _ = try await test.open(models, plan)
      XCTFail("the titles are gone", line: line)
    } catch StoreError.possibleRenames(let found) { XCTAssertEqual(found, expected, line: line) }
    let store = try await test.open(card())
    let found = try RootContext(store).fetch(Fetch<ShapeA>()).map { $0["title"] }
    XCTAssertEqual(Set(found), titles, line: line)
    try await store.close()
  }

  func testWhatAMoveLeavesBehindIsNotLostSilently() async throws {
    try await fill()
    try await expectRefusal([pay()], [Migration(to: 1, "Payments", mapping: [toPay])])
    let dropped = Migration(to: 1, "Payments", mapping: [toPay], removing: [.attribute("title", of: "Card")])
    let store = try await test.open([pay()], [dropped])
    XCTAssertEqual(try names(store), [.string("")])
    try await assertSound(store)
    try await store.close()
  }

  func testAConversionOfSomethingElseIsNoRename() async throws {
    try await fill()
    let pay = ShapeC.named("Pay", .attribute("name", Int.self), .attribute("amount", Int.self))
    let other = ShapeB.named("Other", .attribute("size", Int.self))
    let plan = [
      Migration(
        to: 1, "Numbers",
        AttributeConversion("size", of: "Other", from: String.self, to: Int.self) { Int($0) ?? 0 },
        AttributeConversion("amount", of: "Pay", from: String.self, to: Int.self) { Int($0) ?? 0 }),
      Migration(to: 2, "Payments", mapping: [toPay]),
    ]
    let store = try await test.open([pay, other], plan)
    XCTAssertEqual(try names(store), [.int(0)])
    try await assertSound(store)
    try await store.close()
  }

  /// By the name that the models give the entity, which the store does not have yet.
  func testAClosureReadsAnAttributeThatIsRemovedUnderTheModelsName() async throws {
    let kept = ShapeB.named("Kept", was: ["Card"], [.attribute("amount", Int.self)])
    try await expectClosureReadsTitle(removedFrom: "Kept", keeping: [kept])
  }

  func testAClosureReadsAnAttributeThatItsMigrationRemoves() async throws {
    try await expectClosureReadsTitle(removedFrom: "Card", keeping: [])
  }

  /// Cards become payments, whose names a closure makes of the titles.
  private func expectClosureReadsTitle(
    removedFrom entity: String, keeping kept: [any PersistentModel.Type], line: UInt = #line
  ) async throws {
    try await fill()
    let plan = Migration(
      to: 1, "Payments",
      mapping: [
        .move(
          "Card", to: "Pay", setting: [.init("name", String.self) { "\($0.value("title", as: String.self) ?? "")!" }])
      ], removing: [.attribute("title", of: entity)])
    let store = try await test.open([pay()] + kept, [plan])
    XCTAssertEqual(try names(store), [.string("1!"), .string("2!")], line: line)
    try await assertSound(store)
    try await store.close()
  }
}
