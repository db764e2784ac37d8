import Foundation
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// What was erased is nowhere, and everything else is where it was.
final class ErasureTests: XCTestCase {
  private static let secret = "correct horse battery staple"

  private func holders(of text: String, in path: String) throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: path)
    return try names.filter { name in
      var isDirectory: ObjCBool = false
      let file = path + "/" + name
      guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory), !isDirectory.boolValue else {
        return false
      }
      return try Data(contentsOf: URL(fileURLWithPath: file)).range(of: Data(text.utf8)) != nil
    }
  }

  private func error(_ erasures: [Erasure], in path: String) async -> (any Error)? {
    do {
      try await StoreMaintenance.erase(erasures, in: path)
      return nil
    } catch { return error }
  }

  func testWhatATransactionSaysOfItselfIsNotErased() async throws {
    let test = try TestStore()
    let context = RootContext(test.store, author: "Ada", name: "window", isolation: nil)
    context.metadata = ["device": "tablet"]
    let item = context.insert(Item(name: Self.secret))
    let position = try await context.save("Add")
    item.name = "Open"
    try await context.save("Open")
    try await test.store.close()
    let report = try await StoreMaintenance.erase([Erasure(of: item.id.any)], in: test.path)
    XCTAssertEqual(report.transactions, 2)
    try test.open()
    let first = try XCTUnwrap(try test.store.log.transaction(at: position))
    XCTAssertEqual(first.author, "Ada")
    XCTAssertEqual(first.contextName, "window")
    XCTAssertEqual(first.name, "Add")
    XCTAssertEqual(first.metadata, ["device": "tablet"])
  }

  /// In the log as a value, as part of an edit and as a last value; in an index, a draft and free pages.
  func testNoByteOfItIsInAnyFileAndTheStoreIsSound() async throws {
    try await eraseEverywhere(KeyframeSpacing())
  }

  /// A keyframe has all values of its object.
  func testNoByteOfItIsInAKeyframe() async throws {
    try await eraseEverywhere(.frequent())
  }

  private func eraseEverywhere(_ keyframes: KeyframeSpacing) async throws {
    let opened = try TestStore(keyframes: keyframes)
    let context = RootContext(opened.store, author: "Ada", isolation: nil)
    let item = context.insert(Item(name: Self.secret))
    let other = context.insert(Item(name: "Other"))
    let first = try await context.save("Add")
    let long = String(repeating: "long ", count: 1_000)
    item.name = long + Self.secret
    try await context.save("Hide it in a long text")
    item.name = long + "x" + Self.secret + long
    try await context.save("Splice it")
    let gone = context.insert(Item(name: "gone: " + Self.secret))
    try await context.save("Add another")
    context.delete(gone)
    try await context.save("Delete it")
    item.name = "Open"
    item.valueInDollars = 7
    let last = try await context.save("Open")
    let desk = try RootContext(opened.store, draft: "desk", isolation: nil)
    try desk.object(item.id).name = "typed: " + Self.secret
    let shelf = try RootContext(opened.store, draft: "shelf", isolation: nil)
    try shelf.object(other.id).name = "kept"
    try await opened.store.journals.checkpoint()
    let hash = try opened.store.log.headToken()
    try await opened.store.close()
    XCTAssertEqual(try holders(of: Self.secret, in: opened.path), ["data.mdb"])

    let report = try await StoreMaintenance.erase(
      [Erasure(of: item.id.any, ["name"]), Erasure(of: gone.id.any)], in: opened.path)
    XCTAssertEqual(report.transactions, 6)
    XCTAssertEqual(report.discardedDrafts, ["desk"])
    XCTAssertEqual(try holders(of: Self.secret, in: opened.path), [])
    XCTAssertEqual(try holders(of: "kept", in: opened.path), ["data.mdb"])

    try opened.open()
    let verified = try await StoreMaintenance.verify(opened.store, against: hash)
    XCTAssertEqual(verified.problems, [])
    let reader = RootContext(opened.store, isolation: nil)
    XCTAssertEqual(try reader.object(item.id).name, "Open")
    XCTAssertEqual(try reader.fetch(Fetch<Item> { $0.name == "Open" }).map(\.id), [item.id])
    XCTAssertEqual(try opened.store.context(at: first).object(item.id).name, "")
    XCTAssertEqual(try opened.store.context(at: first).object(other.id).name, "Other")
    XCTAssertEqual(try opened.store.context(at: last).object(item.id).name, "Open")
    let changes = try opened.store.log.history(of: item.id.any).map { $0.changes.first?["name"] }
    XCTAssertEqual(changes, [.erased, .erased, .erased, .erased])
    let values = try opened.store.log.history(of: item.id.any, property: "valueInDollars").map(\.position)
    XCTAssertEqual(values, [last, first])
    XCTAssertThrowsError(try reader.revert(transactionAt: last)) { error in
      guard case RevertError.irreversible(last, .erased) = error else { return XCTFail("\(error)") }
    }
    let again = try RootContext(opened.store, draft: "shelf", isolation: nil)
    XCTAssertEqual(try again.object(other.id).name, "kept")
    try reader.object(item.id).name = "Goes on"
    try await reader.save()
    try await opened.store.close()
    _ = try await StoreMaintenance.rebuild(opened.path)
    try opened.open()
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
    XCTAssertEqual(try RootContext(opened.store, isolation: nil).object(item.id).name, "Goes on")
    try await opened.store.close()
  }

  /// Whatever was saved, and whatever of it is erased, the rest reads as it did, at every position.
  /// What a process typed that was then killed lies in its journal alone, which has to be taken up first.
  func testNoByteOfItIsInAJournalThatAKillLeft() async throws {
    let opened = try TestStore()
    let item = try await {
      let context = RootContext(opened.store, isolation: nil)
      let item = context.insert(Item(name: "Open"))
      context.insert(Item(name: "other"))
      try await context.save()
      let desk = try RootContext(opened.store, draft: "desk", isolation: nil)
      try desk.object(item.id).name = "typed: " + Self.secret
      return item.id
    }()
    try opened.store.journal.flush()
    await opened.store.abandon()
    let journals = try holders(of: Self.secret, in: opened.path)
    XCTAssertEqual(journals.map { $0.hasPrefix("journals/") }, [true])

    let refusal = await error([Erasure(of: item.any, ["name"])], in: opened.path) as? ErasureError
    XCTAssertEqual(refusal, .journals(journals.map { String($0.dropFirst("journals/".count)) }))
    // What the text of the error says.
    try opened.open()
    try await opened.store.close()
    let report = try await StoreMaintenance.erase([Erasure(of: item.any, ["name"])], in: opened.path)
    XCTAssertEqual(report.discardedDrafts, ["desk"])
    XCTAssertEqual(try holders(of: Self.secret, in: opened.path), [])
    try opened.open()
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  func testWhateverIsErasedAllElseReadsAsBefore() async throws {
    for seed in testSeeds(6) {
      var random = SeededGenerator(seed: seed)
      let spacing = [KeyframeSpacing(), .frequent(), .frequent(3)].randomElement(using: &random) ?? .frequent()
      let opened = try TestStore(windowBudget: 0, keyframes: spacing)
      let context = RootContext(opened.store, isolation: nil)
      var items: [Item.ID] = []
      for _ in 0..<40 {
        for _ in 0..<Int.random(in: 1...3, using: &random) { try edit(context, &items, &random) }
        try await context.save()
      }
      for _ in 0..<2 {
        let before = try values(of: items, in: opened.store)
        // Some were never saved.
        let saved = try items.filter { try !opened.store.log.history(of: $0.any, limit: 1).isEmpty }
        let chosen = saved.shuffled(using: &random).prefix(3)
        let names: Set<String>? = [nil, ["name"], ["valueInDollars", "name"]].randomElement(using: &random) ?? nil
        let erasures = chosen.map { id in names.map { Erasure(of: id.any, $0) } ?? Erasure(of: id.any) }
        try await opened.store.close()
        try await StoreMaintenance.erase(erasures, in: opened.path)
        try opened.open()
        let after = try values(of: items, in: opened.store)
        let message = "seed \(seed)"
        XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [], message)
        XCTAssertEqual(after.last, before.last, message)
        for (then, now) in zip(before, after) {
          XCTAssertEqual(Set(then.keys), Set(now.keys), message)
          for (id, facts) in then {
            let isWhole = !chosen.contains(id)
            let name = now[id]?.name
            // As it was; or erased; or what it has been since.
            XCTAssert(name == facts.name || !isWhole && name == "", message)
            XCTAssert(now[id]?.value == facts.value || !isWhole && names?.count != 1 && now[id]?.value == 0, message)
            if isWhole { XCTAssertEqual(now[id], facts, message) }
          }
        }
        if testRun?.failureCount ?? 0 > 0 { return }
      }
      try await opened.store.close()
      _ = try await StoreMaintenance.rebuild(opened.path)
      try opened.open()
      XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [], "seed \(seed)")
      try await opened.store.close()
    }
  }

  private struct Facts: Equatable {
    let name: String
    let value: Int
  }

  private func values(of items: [Item.ID], in store: Store) throws -> [[Item.ID: Facts]] {
    try (Position(1)...store.log.head).map { position in
      let past = try store.context(at: position)
      var found: [Item.ID: Facts] = [:]
      for item in try past.fetch(Fetch<Item>()) { found[item.id] = Facts(name: item.name, value: item.valueInDollars) }
      return found
    }
  }

  private func edit(_ context: RootContext, _ items: inout [Item.ID], _ random: inout SeededGenerator) throws {
    let live = try context.fetch(Fetch<Item>())
    let length = Int.random(in: 1...60, using: &random)
    let text = String(repeating: "\(Int.random(in: 0..<9, using: &random))", count: length)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: items.append(context.insert(Item(name: text, valueInDollars: 3)).id)
    case 1: live.randomElement(using: &random)?.name += text
    case 2: live.randomElement(using: &random)?.name = text
    case 3: live.randomElement(using: &random)?.valueInDollars = Int.random(in: 1...5, using: &random)
    case 4: if let item = live.randomElement(using: &random), live.count > 3 { context.delete(item) }
    default:
      // One that was deleted comes back.
      guard let position = (Position(1)...context.store.log.head).randomElement(using: &random), !context.hasChanges
      else {
        return
      }
      _ = try? context.revert(transactionAt: position, merging: .theirs)
      if context.hasChanges { return }
      items.append(context.insert(Item(name: text)).id)
    }
  }

  /// LMDB ends the process where a branch page has one child.
  func testADamagedFileIsNotMapped() async throws {
    let test = try TestStore()
    let context = RootContext(test.store, isolation: nil)
    var last: Item?
    for number in 0..<200 {
      last = context.insert(Item(name: "\(number) " + String(repeating: "x", count: 500)))
      try await context.save()
    }
    let id = try XCTUnwrap(last).id.any
    let pages = try DamagedPages(of: test.path)
    let branch = try XCTUnwrap(pages.branches(of: "log").first)
    try await test.store.close()
    // The end of the nodes' numbers: of one node.
    try pages.write([18, 0], at: 12, of: branch)
    let error = await error([Erasure(of: id)], in: test.path)
    guard case StoreError.damaged? = error as? StoreError else { return XCTFail("\(String(describing: error))") }
    try pages.restore(branch)
    try await StoreMaintenance.erase([Erasure(of: id)], in: test.path)
  }

  func testWhatCannotBeErasedIsToldAndNothingHasChanged() async throws {
    let opened = try TestStore()
    let context = RootContext(opened.store, isolation: nil)
    let item = context.insert(Item(name: Self.secret))
    try await context.save()
    let open = await error([Erasure(of: item.id.any)], in: opened.path)
    guard case StoreError.inUse? = open else { return XCTFail("\(String(describing: open))") }
    try await opened.store.close()
    let nobody = AnyObjectID(Item.entity.interned, UniqueID())
    for (erasure, expected) in [
      (Erasure(of: nobody), ErasureError.notFound(nobody)),
      (Erasure(of: item.id.any, ["colour"]), .unknown(entity: "Item", property: "colour")),
      (
        Erasure(of: AnyObjectID(EntityName("Ghost"), UniqueID())), .unknown(entity: "Ghost", property: nil)
      ),
    ] {
      let found = await error([Erasure(of: item.id.any, ["name"]), erasure], in: opened.path)
      XCTAssertEqual(found as? ErasureError, expected)
    }
    try FileManager.default.createDirectory(atPath: opened.path + "/journals", withIntermediateDirectories: true)
    let left = opened.path + "/journals/x.damaged"
    try Data().write(to: URL(fileURLWithPath: left))
    let refused = await error([Erasure(of: item.id.any)], in: opened.path)
    XCTAssertEqual(refused as? ErasureError, .journals(["x.damaged"]))
    try FileManager.default.removeItem(atPath: left)
    // What an object says now is not its past.
    let report = try await StoreMaintenance.erase([Erasure(of: item.id.any)], in: opened.path)
    XCTAssertEqual(report.transactions, 0)
    XCTAssertEqual(try holders(of: Self.secret, in: opened.path), ["data.mdb"])
    try opened.open()
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
    XCTAssertEqual(try RootContext(opened.store, isolation: nil).object(item.id).name, Self.secret)
    try await opened.store.close()
  }
}
