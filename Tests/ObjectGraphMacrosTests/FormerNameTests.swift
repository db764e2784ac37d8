import Foundation
import Reprise
import XCTest

#if Macros
@Model(was: "Employee", "Clerk") private final class Worker {
  @Attribute(.indexed, was: "salary", "wage") var pay: Int
  @Attribute(was: "nick") var alias: String?
  @Relationship(inverse: \Worker.team, was: "boss") var lead: Worker?
  @Relationship(deleteRule: .nullify, was: "staff") var team: ToMany<Worker>
  init(pay: Int) { self.pay = pay }
}

@Model("Machine", was: "Device") private final class Machinery {
  var number: Int = 0
}

@Model private final class Clerk {
  @Attribute(.indexed) var name: String
  var wage: String
  init(name: String, wage: String) {
    self.name = name
    self.wage = wage
  }
}

final class FormerNameTests: XCTestCase {
  func testTheMacroPassesFormerNamesOn() {
    XCTAssertEqual(Worker.entity.name, "Worker")
    XCTAssertEqual(Worker.entity.formerNames, ["Employee", "Clerk"])
    XCTAssertEqual(
      Worker.entity.properties.map(\.formerNames), [["salary", "wage"], ["nick"], ["boss"], ["staff"]])
    XCTAssertEqual(Worker.entity.properties.first?.attribute?.isIndexed, true)
    XCTAssertEqual(Machinery.entity.name, "Machine")
    XCTAssertEqual(Machinery.entity.formerNames, ["Device"])
    XCTAssertEqual(Worker(pay: 3).pay, 3)
  }

  func testTheManualShowsMigrationsThatCompile() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    func file(_ path: String) throws -> String {
      try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
    let blocks = try file("Sources/Reprise/Reprise.docc/Migrations.md").components(separatedBy: "```swift\n")
      .dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    let compiled = try file("Tests/ObjectGraphMacrosTests/Migrations.swift")
    XCTAssertEqual("#if Macros\n" + blocks.joined(separator: "\n\n") + "\n#endif\n", compiled)
  }

  func testWhatTheManualShowsMigrates() async throws {
    let path = NSTemporaryDirectory() + "reprise-migrations-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let before = try await Store.open(path, for: Clerk.self)
    let context = RootContext(before)
    context.insert(Clerk(name: "Ada", wage: "100"))
    try await context.save()
    try await before.close()
    let store = try await openPayroll(path) { XCTAssertEqual($0, 1) }
    XCTAssertEqual(try RootContext(store).fetch(Fetch<Employee> { $0.name == "Ada" }).map(\.salary), [100])
    let report = try await StoreMaintenance.verify(store)
    XCTAssertEqual(report.problems, [])
    try await store.close()
  }

  func testTheManualsWayToAnotherKindOfRelationshipCopiesAllPairs() async throws {
    let path = NSTemporaryDirectory() + "reprise-rooms-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let before = try await Store.open(path, for: OneRoom.self, OnePainting.self)
    let context = RootContext(before)
    let hall = context.insert(OneRoom(name: "Hall"))
    for number in 0..<3 {
      let painting = context.insert(OnePainting(title: "\(number)"))
      if number > 0 { painting.room = hall }
    }
    try await context.save()
    try await before.close()
    let between = try await Store.open(path, for: Room.self, Painting.self)
    try await copyRooms(between)
    let head = between.log.head
    try await copyRooms(between)
    XCTAssertEqual(between.log.head, head, "there is nothing left to be copied")
    try await between.close()
    let after = try await Store.open(
      path, for: LaterRoom.self, LaterPainting.self, migrations: MigrationPlan(rooms))
    let all = try RootContext(after).fetch(Fetch<LaterPainting>())
    XCTAssertEqual(all.map { $0.rooms.map(\.name) }, [[], ["Hall"], ["Hall"]])
    XCTAssertEqual(after.warnings, [])
    let report = try await StoreMaintenance.verify(after)
    XCTAssertEqual(report.problems, [])
    try await after.close()
  }
}

@Model("Room") private final class OneRoom {
  var name: String
  var paintings: ToMany<OnePainting>
  init(name: String) { self.name = name }
}

@Model("Painting") private final class OnePainting {
  var title: String
  @Relationship(inverse: \OneRoom.paintings) var room: OneRoom?
  init(title: String) { self.title = title }
}

@Model("Room") private final class LaterRoom {
  var name: String
  var shown: ToMany<LaterPainting>
  init(name: String) { self.name = name }
}

@Model("Painting") private final class LaterPainting {
  var title: String
  @Relationship(inverse: \LaterRoom.shown) var rooms: ToMany<LaterRoom>
  init(title: String) { self.title = title }
}
#endif
