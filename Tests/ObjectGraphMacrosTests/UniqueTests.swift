import Reprise
import XCTest

#if Macros
@Model private final class Club {
  @Attribute(.unique) var name: String
  var members: ToMany<Member>
  init(name: String) { self.name = name }
}

@Model private final class Member {
  #Unique<Member>([\.club, \.number])
  @Attribute(.indexed, .unique, .searchable) var email: String?
  @Attribute(.unique(.ignoringCase), .indexed(.ignoringCase), .indexed, .counter) var points: Int = 0
  var number: Int?
  @Relationship(inverse: \Club.members) var club: Club?
}

@Model private final class Locker {
  #Unique<Locker>([\.corridor, \.number], [\.code], nilsAreEqual: true)
  #Unique<Locker>([\.corridor, \.key], nilsAreEqual: false)
  var number: Int?
  var code: String?
  var key: Int?
  @Relationship(inverse: \Corridor.lockers) var corridor: Corridor?
}

@Model private final class Corridor {
  var lockers: ToMany<Locker>
}

final class UniqueTests: XCTestCase {
  func testNilsAreEqualWhereTheMacroSaysSo() async throws {
    let path = NSTemporaryDirectory() + "reprise-unique-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Locker.self, Corridor.self)
    let context = RootContext(store)
    let corridor = context.insert(Corridor())
    func insert(_ number: Int?, _ code: String?) {
      let locker = context.insert(Locker())
      (locker.corridor, locker.number, locker.code) = (corridor, number, code)
    }
    insert(nil, "a")
    insert(1, "b")
    try await context.save()
    insert(nil, "c")
    insert(2, nil)
    insert(3, nil)
    do {
      try await context.save()
      XCTFail("it was saved")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(Set(refusal.violations.map(\.properties)), [["corridor", "number"], ["code"]])
      XCTAssertEqual(refusal.violations.count, 2)
    }
    context.discard()
    let found = try context.upsert(by: \Locker.corridor, \.number) {
      [$0.corridor.set(to: corridor.id), $0.number.set(to: nil), $0.key.set(to: 7)]
    }
    XCTAssertEqual(found.outcome, .updated)
    XCTAssertEqual(found.object.code, "a")
    try await store.close()
  }

  func testTheMacroDeclaresWhatIsUniqueOnceAndNoSecondIndexOfIt() {
    XCTAssertEqual(
      Member.entity.properties.map(\.name),
      ["email", "points", "number", "club", "[email]", "[points ignoringCase]", "words of email", "[club, number]"])
    XCTAssertEqual(Club.entity.properties.map(\.name), ["name", "members", "[name]"])
  }

  func testWhatTheMacroDeclaresIsHeldAndFound() async throws {
    let path = NSTemporaryDirectory() + "reprise-unique-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Club.self, Member.self)
    let context = RootContext(store)
    context.insert(Club(name: "chess"))
    try await context.save()
    let second = context.insert(Club(name: "chess"))
    do {
      try await context.save()
      XCTFail("it was saved")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.violations.map(\.object), [second.id.any])
      XCTAssertEqual(refusal.violations.map(\.properties), [["name"]])
    }
    context.discard()
    let (club, outcome) = try context.upsert(by: \Club.name) { [$0.name.set(to: "chess")] }
    XCTAssertEqual(outcome, .unchanged)
    let member = try context.upsert(by: \Member.club, \.number) {
      [$0.club.set(to: club.id), $0.number.set(to: 1), $0.email.set(to: "ada@example.org")]
    }
    XCTAssertEqual(member.outcome, .inserted)
    try await context.save()
    XCTAssertTrue(try context.first(Fetch<Member> { $0.email == "ada@example.org" }) === member.object)
    XCTAssertTrue(try context.findOrInsert(Fetch<Club> { $0.name == "chess" }) { Club(name: "chess") } === club)
    try await store.close()
  }
}
#endif
