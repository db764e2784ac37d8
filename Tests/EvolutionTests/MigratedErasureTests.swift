import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

/// An erasure reaches an object under every name that it had: before it was moved, extracted or inlined.
final class MigratedErasureTests: XCTestCase {
  private let test = ShapedStore()
  private static let secret = "4929 1111 2222 3333"
  private static let other = "5500 9999 8888 7777"

  private let toPay = Migration(
    to: 1, "Cards are payments", mapping: [.move("Card", to: "Pay", renaming: ["number": "pan"])])

  private func card() -> any PersistentModel.Type {
    ShapeA.named("Card", .attribute("number", String.self), .attribute("label", String.self))
  }

  private func pay() -> any PersistentModel.Type {
    ShapeB.named("Pay", .attribute("pan", String.self), .attribute("label", String.self))
  }

  /// Two cards, each with a secret number and label that it has no more when it is a payment.
  private func moved() async throws -> (pay: ShapeB.ID, other: ShapeB.ID) {
    let first = try await test.open(card())
    let context = RootContext(first)
    let card = context.insert(ShapeA(["number": Self.secret, "label": "first label"]))
    let other = context.insert(ShapeA(["number": Self.other, "label": "other label"]))
    try await context.save()
    try await first.close()
    let second = try await test.open([pay()], [toPay])
    let now = RootContext(second)
    for pay in try now.fetch(Fetch<ShapeB>()) {
      pay["pan"] = .string("none")
      pay["label"] = .string("none")
    }
    try await now.save()
    try await second.close()
    return (ShapeB.ID(uuid: card.id.uuid), ShapeB.ID(uuid: other.id.uuid))
  }

  private func requireSound(_ models: [any PersistentModel.Type], _ plan: [Migration], line: UInt = #line) async throws
  {
    for isRebuilt in [false, true] {
      if isRebuilt { try await StoreMaintenance.rebuild(test.path) }
      let store = try await test.open(models, plan)
      try await assertSound(store, line: line)
      try await store.close()
    }
  }

  func testErasingAMovedObjectReachesItsOldEntity() async throws {
    let (pay, _) = try await moved()
    try await StoreMaintenance.erase([Erasure(of: pay.any)], in: test.path)
    XCTAssertEqual(try test.holders(of: Self.secret), [])
    XCTAssertEqual(try test.holders(of: "first label"), [])
    XCTAssertEqual(try test.holders(of: Self.other), ["data.mdb"])
    try await requireSound([self.pay()], [toPay])
  }

  func testErasingByTheOldEntityReachesTheMovedObject() async throws {
    let (pay, _) = try await moved()
    let store = try await test.open([self.pay()], [toPay])
    let context = RootContext(store)
    for text in ["typed later", "and again"] {
      try context.object(pay)["pan"] = .string(text)
      try await context.save()
    }
    try await store.close()
    try await StoreMaintenance.erase([Erasure(of: AnyObjectID(EntityName("Card"), pay.uuid))], in: test.path)
    XCTAssertEqual(try test.holders(of: Self.secret), [])
    XCTAssertEqual(try test.holders(of: "typed later"), [])
    XCTAssertEqual(try test.holders(of: "and again"), ["data.mdb"])
    try await requireSound([self.pay()], [toPay])
  }

  func testErasingARenamedPropertyLeavesTheOthers() async throws {
    for name in ["pan", "number"] {
      let (pay, _) = try await moved()
      try await StoreMaintenance.erase([Erasure(of: pay.any, [name])], in: test.path)
      XCTAssertEqual(try test.holders(of: Self.secret), [], name)
      XCTAssertEqual(try test.holders(of: "first label"), ["data.mdb"], name)
      XCTAssertEqual(try test.holders(of: Self.other), ["data.mdb"], name)
      try await requireSound([self.pay()], [toPay])
      try FileManager.default.removeItem(atPath: test.path)
    }
  }

  func testErasingFollowsSeveralMoves() async throws {
    let (pay, _) = try await moved()
    let toTransfer = Migration(to: 2, "Payments are transfers", mapping: [.move("Pay", to: "Transfer")])
    let transfer = ShapeC.named("Transfer", .attribute("pan", String.self), .attribute("label", String.self))
    let store = try await test.open([transfer], [toPay, toTransfer])
    try await store.close()
    try await StoreMaintenance.erase([Erasure(of: AnyObjectID(EntityName("Transfer"), pay.uuid))], in: test.path)
    XCTAssertEqual(try test.holders(of: Self.secret), [])
    XCTAssertEqual(try test.holders(of: Self.other), ["data.mdb"])
    try await requireSound([transfer], [toPay, toTransfer])
  }

  func testErasingReachesWhatWasMergedAndWhatWasSplit() async throws {
    let cat = ShapeA.named("Cat", .attribute("name", String.self))
    let dog = ShapeB.named("Dog", .attribute("name", String.self))
    let merge = Migration(to: 1, "Pets", mapping: [.move("Cat", to: "Pet"), .move("Dog", to: "Pet")])
    let split = Migration(
      to: 2, "Wild ones", mapping: [.move("Pet", to: "Wild", where: { $0["name"] != .string("tame") })])
    let first = try await test.open(cat, dog)
    let context = RootContext(first)
    let cats = ["cat secret 1", "cat secret 2"].map { context.insert(ShapeA(["name": $0])) }
    let dogs = ["dog secret 1", "dog secret 2"].map { context.insert(ShapeB(["name": $0])) }
    try await context.save()
    cats[0]["name"] = .string("tame")
    dogs[0]["name"] = .string("tame")
    try await context.save()
    try await first.close()
    let pet = ShapeC.named("Pet", .attribute("name", String.self))
    let wild = ShapeD.named("Wild", .attribute("name", String.self))
    let second = try await test.open([pet, wild], [merge, split])
    let now = RootContext(second)
    XCTAssertEqual(try now.count(Fetch<ShapeD>()), 2)
    for wild in try now.fetch(Fetch<ShapeD>()) { wild["name"] = .string("wild") }
    try await now.save()
    try await second.close()
    try await StoreMaintenance.erase(
      [
        Erasure(of: AnyObjectID(EntityName("Pet"), cats[0].id.uuid)),
        Erasure(of: AnyObjectID(EntityName("Wild"), dogs[1].id.uuid)),
      ], in: test.path)
    XCTAssertEqual(try test.holders(of: "cat secret 1"), [])
    XCTAssertEqual(try test.holders(of: "dog secret 2"), [])
    XCTAssertEqual(try test.holders(of: "cat secret 2"), ["data.mdb"])
    XCTAssertEqual(try test.holders(of: "dog secret 1"), ["data.mdb"])
    try await requireSound([pet, wild], [merge, split])
  }

  /// Its last value is one that the object has, and no program can assign another.
  func testErasingReachesARemovedAttributeOnceItsObjectIsGone() async throws {
    let first = try await test.open(card())
    let context = RootContext(first)
    let card = context.insert(ShapeA(["number": Self.secret, "label": "former label"]))
    let id = card.id
    try await context.save()
    card["label"] = .string("last label")
    try await context.save()
    try await first.close()
    let bare = ShapeA.named("Card", .attribute("number", String.self))
    let removal = Migration(to: 1, "No labels", removing: [.attribute("label", of: "Card")])
    try await test.open([bare], [removal]).close()
    try await StoreMaintenance.erase([Erasure(of: id.any)], in: test.path)
    XCTAssertEqual(try test.holders(of: "former label"), [])
    XCTAssertEqual(try test.holders(of: "last label"), ["data.mdb"])
    try await requireSound([bare], [removal])
    let second = try await test.open([bare], [removal])
    let now = RootContext(second)
    now.delete(try now.object(id))
    try await now.save()
    try await second.close()
    try await StoreMaintenance.erase([Erasure(of: id.any)], in: test.path)
    for text in ["last label", Self.secret] { XCTAssertEqual(try test.holders(of: text), [], text) }
    try await requireSound([bare], [removal])
  }

  // MARK: Parts

  private let out = Migration(
    to: 1, "Addresses",
    mapping: [.extract("Address", from: "Person", as: "address", moving: ["street"], renaming: ["street": "road"])])

  private func whole() -> any PersistentModel.Type {
    ShapeA.named("Person", .attribute("name", String.self), .attribute("street", String.self))
  }

  private func person() -> any PersistentModel.Type {
    ShapeA.named("Person", .attribute("name", String.self), .toOne("address", ShapeB.self, inverse: "person"))
  }

  private func address() -> any PersistentModel.Type {
    ShapeB.named("Address", .attribute("road", String.self), .toOne("person", ShapeA.self))
  }

  private func fill() async throws -> [ShapeA.ID] {
    let first = try await test.open(whole())
    let context = RootContext(first)
    let people = (1...2).map { number in
      context.insert(ShapeA(["name": "name secret \(number)", "street": "street secret \(number)"]))
    }
    try await context.save()
    for person in people { person["street"] = .string("later street \(person.id == people[0].id ? 1 : 2)") }
    try await context.save()
    try await first.close()
    let second = try await test.open([person(), address()], [out])
    let now = RootContext(second)
    for address in try now.fetch(Fetch<ShapeB>()) { address["road"] = .string("open") }
    for person in try now.fetch(Fetch<ShapeA>()) { person["name"] = .string("open") }
    try await now.save()
    try await second.close()
    return people.map(\.id)
  }

  func testErasingAnExtractedPartReachesItsOldWhole() async throws {
    let people = try await fill()
    let store = try await test.open([person(), address()], [out])
    let part = try XCTUnwrap(try RootContext(store).object(people[0]).target("address"))
    try await store.close()
    try await StoreMaintenance.erase([Erasure(of: AnyObjectID(EntityName("Address"), part))], in: test.path)
    for text in ["street secret 1", "later street 1"] { XCTAssertEqual(try test.holders(of: text), [], text) }
    for text in ["name secret 1", "street secret 2", "later street 2"] {
      XCTAssertEqual(try test.holders(of: text), ["data.mdb"], text)
    }
    try await requireSound([person(), address()], [out])
  }

  func testErasingAWholeReachesTheValuesOfItsPart() async throws {
    let people = try await fill()
    try await StoreMaintenance.erase([Erasure(of: people[0].any)], in: test.path)
    for text in ["street secret 1", "later street 1", "name secret 1"] {
      XCTAssertEqual(try test.holders(of: text), [], text)
    }
    for text in ["name secret 2", "street secret 2", "later street 2"] {
      XCTAssertEqual(try test.holders(of: text), ["data.mdb"], text)
    }
    try await requireSound([person(), address()], [out])
  }

  func testErasingReachesWhatWasInlined() async throws {
    for isAtPart in [false, true] {
      let old =
        isAtPart
        ? ShapeA.named("Person", .attribute("name", String.self), .toOne("address", ShapeB.self))
        : ShapeA.named("Person", .attribute("name", String.self), .toOne("address", ShapeB.self, inverse: "person"))
      let part =
        isAtPart
        ? ShapeB.named("Address", .attribute("road", String.self), .toOne("person", ShapeA.self, inverse: "address"))
        : ShapeB.named("Address", .attribute("road", String.self), .toOne("person", ShapeA.self))
      let first = try await test.open(old, part)
      let context = RootContext(first)
      var people: [ShapeA] = []
      for number in 1...2 {
        let person = context.insert(ShapeA(["name": "name secret \(number)"]))
        let address = context.insert(ShapeB(["road": "road secret \(number)"]))
        person.point("address", to: address)
        people.append(person)
      }
      // One that was left, and belongs to nobody.
      let left = context.insert(ShapeB(["road": "left secret"]))
      try await context.save()
      for address in try context.fetch(Fetch<ShapeB>()) where address.id != left.id {
        address["road"] = .string("later road \(address.target("person") == people[0].id.uuid ? 1 : 2)")
      }
      try await context.save()
      try await first.close()
      let inlined = Migration(
        to: 1, "No addresses",
        mapping: [.inline("Address", into: "Person", through: "address", renaming: ["road": "street"])])
      let person = ShapeA.named("Person", .attribute("name", String.self), .attribute("street", String.self))
      let second = try await test.open([person], [inlined])
      let now = RootContext(second)
      XCTAssertEqual(try now.object(people[0].id)["street"], .string("later road 1"))
      for person in try now.fetch(Fetch<ShapeA>()) { person["street"] = .string("open") }
      try await now.save()
      try await second.close()
      try await StoreMaintenance.erase([Erasure(of: people[0].id.any, ["street"])], in: test.path)
      for text in ["road secret 1", "later road 1"] { XCTAssertEqual(try test.holders(of: text), [], text) }
      for text in ["name secret 1", "road secret 2", "later road 2", "left secret"] {
        XCTAssertEqual(try test.holders(of: text), ["data.mdb"], "\(text), at the part: \(isAtPart)")
      }
      try await requireSound([person], [inlined])
      try FileManager.default.removeItem(atPath: test.path)
    }
  }

  /// What the log tells of the mapping may be dropped with its beginning.
  func testErasingReachesAMovedObjectBehindTheFloor() async throws {
    let (pay, _) = try await moved()
    let store = try await test.open([self.pay()], [toPay])
    let report = try await store.log.retain(.from(Position(4)))
    XCTAssertEqual(report.firstPosition, 4)
    try await store.close()
    try await StoreMaintenance.erase([Erasure(of: pay.any)], in: test.path)
    XCTAssertEqual(try test.holders(of: Self.secret), [])
    try await requireSound([self.pay()], [toPay])
  }

  func testErasingAnObjectThatTheLogNeverHadIsRefused() async throws {
    _ = try await moved()
    let nobody = AnyObjectID(EntityName("Pay"), UniqueID())
    do {
      try await StoreMaintenance.erase([Erasure(of: nobody)], in: test.path)
      XCTFail("erased nothing")
    } catch ErasureError.notFound(nobody) {}
    do {
      try await StoreMaintenance.erase([Erasure(of: nobody, ["colour"])], in: test.path)
      XCTFail("erased nothing")
    } catch ErasureError.unknown(entity: "Pay", property: "colour") {}
  }
}
