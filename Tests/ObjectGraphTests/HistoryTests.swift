import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// What the log says when it is asked.
final class HistoryTests: XCTestCase {
  private func made() throws -> (TestStore, RootContext) {
    let opened = try TestStore()
    return (opened, RootContext(opened.store, author: "Ada", name: "editor"))
  }

  func testASaveIsToldWithItsConsequences() async throws {
    let (opened, context) = try made()
    let ada = context.insert(Person(name: "Ada"))
    let chair = context.insert(Item(name: "Chair"))
    chair.owner = ada
    let first = try await context.save("Add")
    chair.name = "Red chair"
    try await context.save("Rename")
    // Her items go with her.
    context.delete(ada)
    let last = try await context.save("Delete Ada")

    let added = try XCTUnwrap(opened.store.log.transaction(at: first))
    XCTAssertEqual(added.author, "Ada")
    XCTAssertEqual(added.contextName, "editor")
    XCTAssertEqual(added.name, "Add")
    XCTAssertEqual(added.position, first)
    XCTAssertEqual(
      added.description, "transaction \(first) 'Add' by Ada in editor: 2 inserted, 0 updated, 0 deleted")
    XCTAssertEqual(Set(added.inserted), [ada.id.any, chair.id.any])
    let change = try XCTUnwrap(added.changes.first { $0.object == chair.id.any })
    XCTAssertEqual(change["name"], .value(from: .null, to: .string("Chair")))
    XCTAssertEqual(change["owner"], .value(from: .null, to: .reference(ada.id.any)))
    XCTAssertNil(change["photo"])

    let deleted = try XCTUnwrap(opened.store.log.transaction(at: last))
    XCTAssertEqual(Set(deleted.deleted), [ada.id.any, chair.id.any])
    let lost = try XCTUnwrap(deleted.changes.first { $0.object == chair.id.any })
    XCTAssertEqual(lost["name"], .value(from: .string("Red chair"), to: .null))
    XCTAssertNil(try opened.store.log.transaction(at: last + 1))
    XCTAssertNil(try opened.store.log.transaction(at: 0))
  }

  func testAPageOfTheLogEndsAtItsLimitAndFiltersWithoutLosingAny() async throws {
    let (opened, context) = try made()
    let other = RootContext(opened.store, author: "Bob")
    let item = context.insert(Item(name: "0"))
    try await context.save()
    for number in 1...300 {
      item.name = "\(number)"
      try await context.save()
      if number.isMultiple(of: 100) {
        other.insert(Person(name: "\(number)"))
        try await other.save()
      }
    }
    let all = try opened.store.log.transactions(limit: .max)
    XCTAssertEqual(all.map(\.position), (1...opened.store.log.head).map { $0 })
    XCTAssertEqual(try opened.store.log.transactions(after: 5, limit: 2).map(\.position), [6, 7])
    XCTAssertEqual(try opened.store.log.transactions(limit: 0), [])
    let bobs = try opened.store.log.transactions(matching: TransactionFilter(authors: ["Bob"]))
    XCTAssertEqual(bobs.map { $0.changes.count }, [1, 1, 1])
    let people = try opened.store.log.transactions(matching: TransactionFilter(entities: ["Person"]))
    XCTAssertEqual(people, bobs)
    let others = TransactionFilter(excludingAuthors: ["Ada", ""])
    XCTAssertEqual(try opened.store.log.transactions(limit: .max, matching: others), bobs)
    let one = try opened.store.log.transactions(limit: .max, matching: TransactionFilter(objects: [item.id.any]))
    XCTAssertEqual(one.count, 301)
    XCTAssertEqual(try opened.store.log.transactions(after: opened.store.log.head), [])
    XCTAssertThrowsError(try opened.store.log.transactions(after: opened.store.log.head + 7))
  }

  func testWhatAProgramRecordsWithASaveIsReadAndFilteredByAndSurvivesVerification() async throws {
    let (opened, context) = try made()
    context.metadata = ["device": "phone", "build": "7"]
    let chair = context.insert(Item(name: "Chair"))
    let first = try await context.save("Add", metadata: ["ticket": "T 1", "build": "8"])
    chair.name = "Red chair"
    let second = try await context.save()
    try await opened.store.write("Paint", author: "Bob", metadata: ["": "no key", "ticket": ""]) { context in
      try context.object(chair.id).name = "Blue chair"
    }
    let metadata = try opened.store.log.transactions(after: first - 1).map(\.metadata)
    XCTAssertEqual(
      metadata,
      [
        ["device": "phone", "build": "8", "ticket": "T 1"], ["device": "phone", "build": "7"],
        ["": "no key", "ticket": ""],
      ])
    func positions(_ filter: TransactionFilter) throws -> [Position] {
      try opened.store.log.transactions(matching: filter).map(\.position)
    }
    XCTAssertEqual(try positions(TransactionFilter(metadata: ["device": "phone"])), [first, second])
    XCTAssertEqual(try positions(TransactionFilter(metadata: ["device": "phone", "build": "8"])), [first])
    XCTAssertEqual(try positions(TransactionFilter(metadata: ["device": "desk"])), [])
    XCTAssertEqual(try positions(TransactionFilter(contextNames: ["editor"], names: ["", "Paint"])), [second])
    XCTAssertEqual(try positions(TransactionFilter(names: ["Paint"])), [second + 1])
    XCTAssertEqual(try opened.store.log.history(of: chair.id.any, limit: 3).map(\.metadata), metadata.reversed())
    try await opened.kill()
    XCTAssertTrue(try StoreMaintenance.verifyNow(opened.store).isSound)
  }

  func testTheHistoryOfAnObjectSaysWhoChangedWhatAlsoAfterItsDeletion() async throws {
    let (opened, context) = try made()
    let item = context.insert(Item(name: "Chair", valueInDollars: 10))
    try await context.save()
    let other = RootContext(opened.store, author: "Bob")
    try other.object(item.id).valueInDollars = 20
    try await other.save("Dearer")
    try context.refresh()
    item.name = "Stool"
    try await context.save("Rename")

    let names = try context.history(of: item) { $0.name }
    XCTAssertEqual(names.map(\.old), ["Chair", nil])
    XCTAssertEqual(names.map(\.new), ["Stool", "Chair"])
    let dearer = try context.history(of: item, { $0.valueInDollars }, limit: 1)
    XCTAssertEqual(dearer.map(\.transaction.author), ["Bob"])
    XCTAssertEqual(dearer.map(\.new), [20])
    XCTAssertEqual(try context.history(of: item).map(\.name), ["Rename", "Dearer", nil])
    XCTAssertEqual(try context.history(of: item, limit: 1).map(\.name), ["Rename"])
    XCTAssertEqual(try context.history(of: item, limit: 0), [])
    let log = opened.store.log
    XCTAssertEqual(try log.history(of: item.id.any, before: log.token(at: 4)).map(\.name), ["Dearer", nil])
    XCTAssertEqual(try log.history(of: item.id.any, before: log.token(at: 4), limit: 1).map(\.name), ["Dearer"])
    XCTAssertEqual(try log.history(of: item.id.any, property: "name", before: log.token(at: 4)).map(\.name), [nil])
    // This context has not seen the rest yet.
    XCTAssertEqual(try other.history(of: item.id.any).map(\.name), ["Dearer", nil])

    context.delete(item)
    try await context.save("Delete")
    let last = try XCTUnwrap(opened.store.log.history(of: item.id.any, limit: 1).first?.changes.first)
    XCTAssertEqual(last.kind, .deleted)
    XCTAssertEqual(last["name"], .value(from: .string("Stool"), to: .null))
    XCTAssertEqual(last["valueInDollars"], .value(from: .int(20), to: .null))
    XCTAssertEqual(try opened.store.log.history(of: AnyObjectID(Item.entity.interned, UniqueID())), [])
  }

  func testBlameNamesWhoSetEachPropertyLastAndNobodyWhoOnlySetItBefore() async throws {
    let (opened, context) = try made()
    let item = context.insert(Item(name: "Chair", valueInDollars: 10))
    let first = try await context.save()
    let other = RootContext(opened.store, author: "Bob")
    try other.object(item.id).valueInDollars = 20
    let second = try await other.save()
    try context.refresh()
    let owner = context.insert(Person(name: "Ada"))
    item.owner = owner
    let third = try await context.save()
    item.name = "Not saved"

    let blame = try context.blame(for: item)
    XCTAssertEqual(blame["name"]?.position, first)
    XCTAssertEqual(blame["valueInDollars"]?.position, second)
    XCTAssertEqual(blame["valueInDollars"]?.author, "Bob")
    XCTAssertEqual(blame["owner"]?.position, third)
    let past = try opened.store.context(at: second)
    XCTAssertNil(try past.blame(for: past.object(item.id))["owner"])
    XCTAssertEqual(try context.blame(for: context.insert(Item(name: "New"))), [:])
  }

  func testTheHistoryOfAToOneSaysWhereItLed() async throws {
    let (opened, context) = try made()
    let (ada, bob) = (context.insert(Person(name: "Ada")), context.insert(Person(name: "Bob")))
    let item = context.insert(Item(name: "Chair"))
    item.owner = ada
    let first = try await context.save()
    item.owner = bob
    try await context.save()
    item.name = "Stool"
    try await context.save()
    item.owner = nil
    try await context.save()
    let owners = try context.history(of: item) { $0.owner }
    XCTAssertEqual(owners.map(\.new), [nil, bob.id, ada.id])
    XCTAssertEqual(owners.map(\.old), [bob.id, ada.id, nil])
    XCTAssertEqual(try opened.store.context(at: first).history(of: item) { $0.owner }.map(\.new), [ada.id])
  }

  func testTheHistoryOfALongTextHasWholeTextsAndTheLogHasItsEdits() async throws {
    let (opened, context) = try made()
    let long = String(repeating: "word ", count: 1_000)
    let item = context.insert(Item(name: long))
    try await context.save()
    item.name = "é" + long
    let position = try await context.save()
    let edit = try XCTUnwrap(opened.store.log.transaction(at: position)?.changes.first)
    XCTAssertEqual(edit["name"], .text(offset: 0, removed: "", inserted: "é"))
    let whole = try context.history(of: item) { $0.name }
    XCTAssertEqual(whole.map(\.new), ["é" + long, long])
    XCTAssertEqual(whole.first?.old, long)
  }

  func testPairsOfAManyToManyAreToldAsMembersAndLinksNotAtAll() async throws {
    let opened = try TestStore(Schema(Student.self, Course.self, Diary.self))
    let context = RootContext(opened.store)
    let ada = context.insert(Student("Ada"))
    let logic = context.insert(Course("Logic"))
    let music = context.insert(Course("Music"))
    ada.courses.insert(logic)
    let first = try await context.save()
    ada.name = "Ada L."
    ada.courses.insert(music)
    ada.courses.remove(logic)
    let second = try await context.save()

    let inserted = try XCTUnwrap(opened.store.log.transaction(at: first))
    XCTAssertEqual(Set(inserted.inserted), [ada.id.any, logic.id.any, music.id.any])
    let changed = try XCTUnwrap(opened.store.log.transaction(at: second))
    XCTAssertEqual(Set(changed.changes.map(\.object)), [ada.id.any, logic.id.any, music.id.any])
    func members(_ course: Course) -> PropertyDifference.Form? {
      changed.changes.first { $0.object == course.id.any }?["students"]
    }
    XCTAssertEqual(members(music), .members(added: [ada.id.any], removed: []))
    XCTAssertEqual(members(logic), .members(added: [], removed: [ada.id.any]))
    let hers = try XCTUnwrap(changed.changes.first { $0.object == ada.id.any })
    XCTAssertEqual(hers["courses"], .members(added: [music.id.any], removed: [logic.id.any]))
    XCTAssertEqual(hers["name"], .value(from: .string("Ada"), to: .string("Ada L.")))
    XCTAssertEqual(try opened.store.log.transactions(matching: TransactionFilter(objects: [music.id.any])).count, 2)

    let past = try opened.store.context(at: first)
    XCTAssertEqual(try past.object(ada.id).courses.map(\.title), ["Logic"])
    XCTAssertEqual(try past.object(music.id).students.map(\.name), [])
    XCTAssertEqual(try past.fetch(Fetch<Student> { $0.courses.any { $0.title == "Logic" } }).map(\.name), ["Ada"])
    XCTAssertEqual(ada.courses.map(\.title), ["Music"])
  }

  func testAFieldBehindARelationshipHasNoHistoryHere() async throws {
    let (_, context) = try made()
    let item = context.insert(Item(name: "Chair"))
    XCTAssertThrowsError(try context.history(of: item) { $0.owner.name }) { error in
      guard case FetchError.notAnAttribute = error else { return XCTFail("\(error)") }
    }
    // It was never saved.
    XCTAssertEqual(try context.history(of: item), [])
  }

  func testTheTimeOfATransactionFindsItsPosition() async throws {
    let (opened, context) = try made()
    for number in 0..<20 {
      context.insert(Item(name: "\(number)"))
      try await context.save()
    }
    let all = try opened.store.log.transactions()
    for transaction in all {
      XCTAssertEqual(try opened.store.log.position(atMicroseconds: transaction.microseconds), transaction.position)
      XCTAssertEqual(
        try opened.store.log.position(atMicroseconds: transaction.microseconds - 1), transaction.position - 1)
    }
    XCTAssertEqual(try opened.store.log.position(atMicroseconds: .min), 0)
    XCTAssertEqual(try opened.store.log.position(atMicroseconds: .max), opened.store.log.head)
  }

  func testAClosedStoreRefusesToAnswer() async throws {
    let (opened, context) = try made()
    context.insert(Item(name: "Chair"))
    try await context.save()
    try await opened.store.close()
    XCTAssertThrowsError(try opened.store.log.transactions()) { error in
      guard case StoreError.closed = error else { return XCTFail("\(error)") }
    }
    XCTAssertThrowsError(try opened.store.log.transaction(at: 1))
    XCTAssertThrowsError(try context.history(of: AnyObjectID(Item.entity.interned, UniqueID())))
  }
}
