import Foundation
import RepriseDynamic
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// A tool without the models of a store sees other objects than the program, or changes the store.
@MainActor
final class DynamicStoreTests: XCTestCase {
  private let path = NSTemporaryDirectory() + "reprise-dynamic-\(UUID().uuidString)"

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: path) }

  private static let schemas: [Schema] = [
    Schema(Student.self, Course.self, Diary.self),
    Schema(Album.self, Song.self, Playlist.self), Schema(Route.self, Stop.self, Peer.self),
    Schema(Parcel.self, Depot.self), Schema(Item.self, Person.self),
    Schema(Bicycle.self, Lock.self, Key.self, Shed.self),
    Schema(Book.self, Author.self), Schema(Note.self, Notebook.self), Schema(Member.self, Team.self),
    Schema(Seat.self, Hall.self, Ticket.self), Schema(Sale.self, Shop.self), Schema(Photo.self),
  ]

  /// Makes a store with random objects, by name.
  private func makeStore(_ schema: Schema, _ random: inout SeededGenerator) async throws -> Store {
    let store = try Store.openNow(path, for: schema, StoreOptions())
    let context = RootContext(store)
    var objects: [(entity: Entity, object: any PersistentModel)] = []
    for _ in 0..<20 {
      guard let entity = store.entities.randomElement(using: &random) else { break }
      var values: [String: PropertyValue] = [:]
      for property in entity.attributes where !property.isDerived && property.rules.isEmpty {
        if case .attribute(let kind) = property.kind, let value = Self.value(kind, &random),
          property.objection(to: value) == nil
        {
          values[property.name] = value
        }
      }
      objects.append((entity, try context.insert(entity, values)))
    }
    for (entity, object) in objects {
      for property in entity.relationships {
        let others = objects.filter { $0.entity === property.target }.map(\.object._storage.id)
        guard let other = others.randomElement(using: &random) else { continue }
        if property.kind == .toOne {
          try object.set(property.name, to: .reference(other))
        } else {
          try object.insert(other, into: property.name)
        }
      }
    }
    try await context.save()
    return store
  }

  private static func value(_ kind: AttributeKind, _ random: inout SeededGenerator) -> PropertyValue? {
    switch kind {
    case .bool: .bool(.random(using: &random))
    case .int: .int(.random(in: 0...1_000_000, using: &random))
    case .unsigned: .unsigned(.random(in: 0...9, using: &random))
    case .double: .double(.random(in: -1...1, using: &random))
    case .string: .string("text \(Int.random(in: 0...1_000_000, using: &random))")
    case .bytes, .blob: nil
    case .date: .date(.random(in: 0...9e8, using: &random))
    case .uuid: .uuid(UniqueID())
    }
  }

  /// All objects of a store, with the values of their properties.
  private func contents(_ store: Store) throws -> [String] {
    let context = RootContext(store)
    var lines: [String] = []
    for entity in store.entities.sorted(by: { $0.name < $1.name }) {
      for object in try context.fetch(entity) {
        var line = "\(object._storage.id)"
        for property in entity.attributes + entity.relationships {
          let value =
            property.kind == .toMany ? "\(try object.members(of: property.name))" : "\(try object[property.name])"
          line += " \(property.name)=\(value)"
        }
        lines.append(line)
      }
    }
    return lines
  }

  private func descriptions(_ store: Store) -> [String] {
    store.entities.sorted { $0.name < $1.name }.flatMap { entity in
      (entity.attributes + entity.relationships).map { property in
        "\(entity.name).\(property.name) \(property.kind) \(property.isOptional) \(property.defaultValue) "
          + "\(property.isDerived) \(property.isOrdered) \(property.target?.name ?? "")"
      }.sorted()
    }
  }

  private func makeGuests() async throws {
    let store = try Store.openNow(path, for: Schema(Guest.self, Hotel.self), StoreOptions())
    let context = RootContext(store)
    let hotel = Hotel("Grand")
    for name in ["Ada", "Bob"] {
      let guest = Guest(name, "Smith")
      context.insert(guest)
      guest.hotel = hotel
    }
    try await context.save()
    try await store.close()
  }

  private func files() throws -> [String: Data] {
    let manager = FileManager.default
    var files: [String: Data] = [:]
    // LMDB notes readers in the lock file.
    for name in try manager.subpathsOfDirectory(atPath: path) where name != "lock.mdb" {
      files[name] = manager.contents(atPath: path + "/" + name) ?? Data()
    }
    return files
  }

  /// The store of an error that says that it cannot be written.
  private func place(of error: any Error) -> String? {
    guard case DraftError.store(.readOnly(let place)) = error else { return nil }
    return place
  }

  func testAnInspectionWritesNothing() async throws {
    try await makeGuests()
    // A draft that only a journal has, as after a kill.
    let program = try Store.openNow(path, for: Schema(Guest.self, Hotel.self), StoreOptions())
    let draft = try RootContext(program, draft: "desk")
    try draft.fetch(Fetch<Guest>())[0].last = "Jones"
    try await program.flush()
    await program.abandon()
    let before = try files()
    XCTAssertTrue(before.keys.contains { $0.hasPrefix("journals/") })
    let tool = try await Store.open(inspecting: path)
    let context = RootContext(tool)
    let guest = try XCTUnwrap(context.fetch(tool.entity(named: "Guest")).first)
    XCTAssertEqual(try guest["fullName"], .string("Ada Smith"))
    try guest.set("last", to: .string("Brown"))
    do {
      try await context.save()
      XCTFail("The store was opened to inspect it.")
    } catch SaveError.store(.readOnly(let place)) { XCTAssertEqual(place, path) }
    let drafts = try tool.drafts.all()
    XCTAssertEqual(drafts.map(\.id), ["desk"])
    XCTAssertEqual(drafts[0].preview[0].properties.first { $0.name == "last" }?.new, .string("Jones"))
    XCTAssertFalse(drafts[0].isInUse)
    XCTAssertThrowsError(try RootContext(tool, draft: "desk")) { XCTAssertEqual(self.place(of: $0), path) }
    XCTAssertThrowsError(try tool.drafts.discard("desk")) { XCTAssertEqual(self.place(of: $0), path) }
    _ = try await tool.write { _ in }
    try await tool.close()
    XCTAssertEqual(try files(), before)
  }

  func testNoEditOrSaveLeavesTheToken() async throws {
    try await makeGuests()
    let store = try Store.openNow(path, for: Schema(Guest.self, Hotel.self), StoreOptions())
    let tokens = [try store.draftsToken()]
    var known = Set(tokens)
    func isNew() throws -> Bool { known.insert(try store.draftsToken()).inserted }
    XCTAssertFalse(try isNew())
    let draft = try RootContext(store, draft: "desk")
    XCTAssertTrue(try isNew(), "the draft has an owner")
    for name in ["Jones", "Brown"] {
      try draft.fetch(Fetch<Guest>())[0].last = name
      try await store.flush()
      XCTAssertTrue(try isNew())
      XCTAssertFalse(try isNew())
      XCTAssertEqual(try store.drafts.all().map(\.process), [getpid()])
    }
    try await draft.save()
    XCTAssertTrue(try isNew())
    try await store.close()
    XCTAssertThrowsError(try store.draftsToken())
    XCTAssertThrowsError(try store.openProcesses())
  }

  private func run(_ program: String, _ arguments: String...) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardError = nil
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  func testAReadOnlyFileSystemIsInspected() async throws {
    let copy = path + "-mounted"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    guard try run("mount", "-t", "tmpfs", "tmpfs", copy) else {
      throw XCTSkip("This user may not mount a file system.")
    }
    defer { _ = try? run("umount", copy) }
    try await makeGuests()
    let store = try Store.openNow(path, for: Schema(Guest.self, Hotel.self), StoreOptions())
    try await StoreMaintenance.backup(store, to: copy + "/store")
    try await store.close()
    XCTAssertTrue(try run("mount", "-o", "remount,ro", copy))
    let tool = try await Store.open(inspecting: copy + "/store")
    XCTAssertEqual(try RootContext(tool).count(tool.entity(named: "Guest")), 2)
    let backup = path + "-backup"
    defer { try? FileManager.default.removeItem(atPath: backup) }
    let report = try await StoreMaintenance.backup(tool, to: backup)
    XCTAssertEqual(report.position, tool.log.head)
    XCTAssertFalse(FileManager.default.fileExists(atPath: copy + "/store/lock.mdb"))
    try await tool.close()
    let copied = try await Store.open(inspecting: backup)
    XCTAssertEqual(try RootContext(copied).count(copied.entity(named: "Guest")), 2)
    try await copied.close()
    do {
      _ = try await Store.open(inspecting: copy + "/store", editing: true)
      XCTFail("It cannot be written.")
    } catch StoreError.readOnly {}
  }

  func testRulesOfTheStoreHoldForATool() async throws {
    try await makeGuests()
    let tool = try await Store.open(inspecting: path, editing: true)
    let context = RootContext(tool)
    let guests = try context.fetch(tool.entity(named: "Guest"), sortedBy: "first")
    XCTAssertThrowsError(try guests[0].set("fullName", to: .string("Eve"))) { error in
      guard case PropertyError.derived("fullName", "Guest") = error else { return XCTFail("\(error)") }
    }
    XCTAssertThrowsError(try guests[0].set("age", to: .string("old")))
    XCTAssertThrowsError(try guests[0].set("first", to: .null))
    context.delete(guests[1])
    try await context.save()
    let hotel = try XCTUnwrap(context.fetch(tool.entity(named: "Hotel")).first)
    XCTAssertEqual(try hotel.members(of: "guests"), [guests[0]._storage.id])
    try await tool.close()
  }

  func testAToolCannotBreakAUniqueRule() async throws {
    let store = try Store.openNow(path, for: Schema(Member.self, Team.self), StoreOptions())
    let entity = try store.entity(named: "Member")
    try RootContext(store).insert(entity, ["email": .string("ada@x.org")])
    let context = RootContext(store)
    try context.insert(entity, ["email": .string("ada@x.org")])
    try await context.save()
    try await store.close()
    let tool = try await Store.open(inspecting: path, editing: true)
    let other = RootContext(tool)
    try other.insert(tool.entity(named: "Member"), ["email": .string("ada@x.org")])
    do {
      try await other.save()
      XCTFail("There is a member with this address.")
    } catch SaveError.refused {}
    try await tool.close()
  }

  func testAProgramComputesWhatAToolCouldNot() async throws {
    try await makeGuests()
    let tool = try await Store.open(inspecting: path, editing: true)
    let context = RootContext(tool)
    try context.fetch(tool.entity(named: "Guest"), sortedBy: "first")[0].set("last", to: .string("Jones"))
    try await context.save()
    XCTAssertEqual(
      try RootContext(tool).fetch(tool.entity(named: "Guest"), sortedBy: "first")[0]["fullName"], .string("Ada Smith"))
    try await tool.close()
    let program = try Store.openNow(path, for: Schema(Guest.self, Hotel.self), StoreOptions())
    XCTAssertEqual(try RootContext(program).count(Fetch<Guest> { $0.fullName == "Ada Jones" }), 1)
    XCTAssertEqual(try StoreMaintenance.verifyNow(program).problems, [])
    try await program.close()
  }

  func testAnInspectionOfAnOpenStoreIsRefused() async throws {
    let store = try Store.openNow(path, for: Schema(Guest.self, Hotel.self), StoreOptions())
    do {
      _ = try await Store.open(inspecting: path)
      XCTFail("This process has it open.")
    } catch StoreError.inUse(let place) { XCTAssertEqual(place, path) }
    try await store.close()
    do {
      _ = try await Store.open(inspecting: path + "/nothing")
      XCTFail("There is nothing.")
    } catch StoreError.notFound {}
    XCTAssertFalse(FileManager.default.fileExists(atPath: path + "/nothing"))
  }

  func testAToolReadsHistoryAndThePast() async throws {
    try await makeGuests()
    let program = try Store.openNow(path, for: Schema(Guest.self, Hotel.self), StoreOptions())
    let context = RootContext(program)
    let before = context.position
    try context.fetch(Fetch<Guest>())[0].last = "Jones"
    try await context.save("Rename")
    try await program.close()
    let tool = try await Store.open(inspecting: path)
    let entity = try tool.entity(named: "Guest")
    let past = try tool.context(at: before)
    XCTAssertEqual(try past.fetch(entity)[0]["last"], .string("Smith"))
    let last = try tool.log.transaction(at: before + 1)
    XCTAssertEqual(last?.name, "Rename")
    try await tool.close()
  }

  func testAToolSeesTheObjectsOfTheProgram() async throws {
    var random = SeededGenerator(seed: testSeed())
    for schema in Self.schemas {
      let store = try await makeStore(schema, &random)
      let (expected, described) = (try contents(store), descriptions(store))
      try await store.close()
      for editing in [false, true] {
        let tool = try await Store.open(inspecting: path, editing: editing)
        XCTAssertEqual(try Set(contents(tool)), Set(expected))
        XCTAssertEqual(descriptions(tool), described)
        XCTAssertEqual(try StoreMaintenance.verifyNow(tool).problems, [])
        try await tool.close()
      }
      try FileManager.default.removeItem(atPath: path)
    }
  }
}
