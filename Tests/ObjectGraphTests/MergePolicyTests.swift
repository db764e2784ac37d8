import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// What a save does under each policy, into the log and into a parent.
@MainActor
final class MergePolicyTests: XCTestCase {
  private struct Known {
    let item: Item.ID
    let shed: Shed.ID
    let red: Bicycle.ID
    let blue: Bicycle.ID
    let green: Bicycle.ID
    let lock: Lock.ID
    let free: Lock.ID
    let key: Key.ID
  }

  /// Runs `body` for roots that have seen what the others saved, for roots that have not, and for a child. Afterwards
  /// the store is sound, and what `mine` reads is what it saved.
  private func forAll(_ body: @MainActor (TwoEditors, Known, _ isSeen: Bool) async throws -> Void) async throws {
    for (isChild, isSeen) in [(false, true), (false, false), (true, true)] {
      let test = try TestStore(Schema(Bicycle.self, Lock.self, Key.self, Shed.self, Item.self, Person.self))
      let root = RootContext(test.store)
      let item = root.insert(Item(name: "one"))
      let shed = root.insert(Shed())
      let bicycles = ["red", "blue", "green"].map { root.insert(Bicycle(name: $0)) }
      bicycles[0].lock = Lock(code: 1)
      bicycles[0].shed = shed
      bicycles[1].shed = shed
      let free = root.insert(Lock(code: 2))
      let key = root.insert(Key())
      try await root.save()
      let known = Known(
        item: item.id, shed: shed.id, red: bicycles[0].id, blue: bicycles[1].id, green: bicycles[2].id,
        lock: try XCTUnwrap(bicycles[0].lock?.id), free: free.id, key: key.id)
      let editors = TwoEditors(root, isChild: isChild)
      try await body(editors, known, isSeen)
      XCTAssertFalse(editors.mine.hasChanges)
      if isChild { try await root.save() }
      let fresh = RootContext(test.store)
      XCTAssertEqual(try image(editors.mine), try image(fresh), "what is read is what is saved")
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, report.description)
    }
  }

  private func image(_ context: EditingContext) throws -> [String] {
    try context.fetch(Fetch<Item>()).map { "\($0.id) \($0.name) \($0.isInsured) \($0.weight ?? 0)" }
      + context.fetch(Fetch<Bicycle>()).map {
        "\($0.id) \($0.name) \(String(describing: $0.lock?.id)) \(String(describing: $0.shed?.id))"
      }
      + context.fetch(Fetch<Lock>()).map { "\($0.id) \(String(describing: $0.bicycle?.id)) \($0.keys.count)" }
      + context.fetch(Fetch<Key>()).map { "\($0.id) \(String(describing: $0.lock?.id))" }
      + context.fetch(Fetch<Shed>()).map { "\($0.id) \($0.bicycles.map(\.id))" }
  }

  private static let all: [(name: String, policy: MergePolicy)] = [
    ("mine", .mine), ("theirs", .theirs), ("overwrite", .overwrite), ("rollBack", .rollBack),
    ("custom", .custom { _ in .mine }),
  ]

  // MARK: Attributes

  func testAttributesOfOneObject() async throws {
    for (name, policy) in Self.all {
      try await forAll { editors, known, isSeen in
        let mine = try editors.mine.object(known.item)
        (mine.name, mine.weight) = ("mine", 1)
        let theirs = try editors.theirs.object(known.item)
        (theirs.name, theirs.isInsured) = ("theirs", true)
        try await editors.saveTheirs(isSeen: isSeen)
        XCTAssertEqual(try editors.mine.conflicts().map(\.kind), [.attribute("name")])
        try await editors.saveMine(merging: policy)
        let keepsMine = ["mine", "overwrite", "custom"].contains(name)
        XCTAssertEqual(mine.name, keepsMine ? "mine" : "theirs", name)
        XCTAssertEqual(mine.weight, name == "rollBack" ? nil : 1, name)
        // What this context had not seen, overwriting takes back.
        XCTAssertEqual(mine.isInsured, name != "overwrite" || isSeen, name)
      }
    }
  }

  func testTheContextsPolicyHoldsUnlessASaveSaysOtherwise() async throws {
    try await forAll { editors, known, _ in
      editors.mine.mergePolicy = .theirs
      let mine = try editors.mine.object(known.item)
      mine.name = "mine"
      try editors.theirs.object(known.item).name = "theirs"
      try await editors.saveTheirs()
      do {
        try await editors.saveMine(merging: .error)
        XCTFail("saved")
      } catch {}
      XCTAssertEqual(mine.name, "mine")
      try await editors.saveMine()
      XCTAssertEqual(mine.name, "theirs")
    }
  }

  // MARK: Deletions

  func testWhatOthersDeletedAndIChanged() async throws {
    for (name, policy) in Self.all {
      try await forAll { editors, known, isSeen in
        let mine = try editors.mine.object(known.item)
        mine.name = "mine"
        try editors.theirs.object(known.item).isInsured = true
        editors.theirs.delete(try editors.theirs.object(known.item))
        try await editors.saveTheirs(isSeen: isSeen)
        XCTAssertEqual(try editors.mine.conflicts().map(\.kind), [.deletedByThem])
        try await editors.saveMine(merging: policy)
        let isBack = ["mine", "overwrite", "custom"].contains(name)
        XCTAssertEqual(mine.state == .deleted, !isBack, name)
        if isBack {
          XCTAssertEqual(mine.name, "mine")
          XCTAssertEqual(mine.condition, .good)
        }
        XCTAssertEqual(try editors.mine.count(Fetch<Item>()), isBack ? 1 : 0, name)
      }
    }
  }

  func testWhatOthersChangedAndIDeleted() async throws {
    for (name, policy) in Self.all {
      try await forAll { editors, known, isSeen in
        let red = try editors.mine.object(known.red)
        editors.mine.delete(red)
        try editors.theirs.object(known.red).lock = try editors.theirs.object(known.free)
        try await editors.saveTheirs(isSeen: isSeen)
        XCTAssertEqual(try editors.mine.conflicts().map(\.kind), [.deletedByMe])
        try await editors.saveMine(merging: policy)
        let isGone = ["mine", "overwrite", "custom"].contains(name)
        XCTAssertEqual(red.state == .deleted, isGone, name)
        // One lock went with the bicycle, the other one took its place and goes too; or both stay.
        XCTAssertEqual(try editors.mine.count(Fetch<Lock>()), isGone ? 0 : 2, name)
      }
    }
  }

  // MARK: Cascades

  func testWhatOthersAddedToWhatIDeletedWithItsParts() async throws {
    for (name, policy) in Self.all {
      try await forAll { editors, known, isSeen in
        editors.mine.delete(try editors.mine.object(known.shed))
        try editors.theirs.object(known.green).shed = try editors.theirs.object(known.shed)
        try await editors.saveTheirs(isSeen: isSeen)
        XCTAssertEqual(try editors.mine.conflicts().map(\.kind), [.addedToDeleted("shed", .cascade)])
        try await editors.saveMine(merging: policy)
        let isGone = ["mine", "overwrite", "custom"].contains(name)
        XCTAssertEqual(try editors.mine.count(Fetch<Bicycle>()), isGone ? 0 : 3, name)
        XCTAssertEqual(try editors.mine.count(Fetch<Lock>()), isGone ? 1 : 2, name)
        if !isGone { XCTAssertEqual(try editors.mine.object(known.shed).bicycles.count, 3, "with what went with it") }
      }
    }
  }

  func testWhatOthersMadeReferToWhatIDeleted() async throws {
    for (name, policy) in Self.all {
      try await forAll { editors, known, isSeen in
        editors.mine.delete(try editors.mine.object(known.free))
        try editors.theirs.object(known.key).lock = try editors.theirs.object(known.free)
        try await editors.saveTheirs(isSeen: isSeen)
        try await editors.saveMine(merging: policy)
        let isGone = ["mine", "overwrite", "custom"].contains(name)
        XCTAssertEqual(try editors.mine.object(known.key).lock?.id, isGone ? nil : known.free, name)
        XCTAssertEqual(editors.mine.find(known.free) == nil, isGone, name)
      }
    }
  }

  func testWhatIMadeReferToWhatOthersDeleted() async throws {
    for (name, policy) in Self.all {
      try await forAll { editors, known, isSeen in
        try editors.mine.object(known.key).lock = try editors.mine.object(known.free)
        let part = editors.mine.insert(Bicycle(name: "part"))
        part.shed = try editors.mine.object(known.shed)
        part.lock = Lock(code: 3)
        editors.theirs.delete(try editors.theirs.object(known.free))
        editors.theirs.delete(try editors.theirs.object(known.shed))
        try await editors.saveTheirs(isSeen: isSeen)
        try await editors.saveMine(merging: policy)
        XCTAssertNil(try editors.mine.object(known.key).lock, name)
        let isKept = ["mine", "overwrite", "custom"].contains(name)
        XCTAssertEqual(part.state == .deleted, !isKept, name)
        if isKept { XCTAssertNil(part.shed, name) }
        XCTAssertEqual(try editors.mine.fetch(Fetch<Bicycle>()).map(\.name), isKept ? ["green", "part"] : ["green"])
      }
    }
  }

  // MARK: One-to-ones

  func testAPlaceThatBothFilled() async throws {
    for (name, policy) in Self.all {
      try await forAll { editors, known, isSeen in
        try editors.mine.object(known.green).lock = try editors.mine.object(known.free)
        try editors.mine.object(known.green).name = "mine"
        try editors.theirs.object(known.blue).lock = try editors.theirs.object(known.free)
        try await editors.saveTheirs(isSeen: isSeen)
        XCTAssertEqual(try editors.mine.conflicts().map(\.kind), [.taken("lock", by: known.blue.any)])
        try await editors.saveMine(merging: policy)
        let isMine = ["mine", "overwrite", "custom"].contains(name)
        XCTAssertEqual(try editors.mine.object(known.green).lock?.id, isMine ? known.free : nil, name)
        XCTAssertEqual(try editors.mine.object(known.blue).lock?.id, isMine ? nil : known.free, name)
        XCTAssertEqual(try editors.mine.object(known.green).name, name == "rollBack" ? "green" : "mine", name)
      }
    }
  }

  // MARK: Insertions

  func testAnObjectThatIsInTheLogAlready() async throws {
    for (name, policy) in Self.all {
      let test = try TestStore()
      let root = RootContext(test.store)
      root.followsHead = false
      let item = root.insert(Item(name: "mine"))
      var values = Item.entity.defaults
      values[0] = .string("theirs")
      try test.store.appendAsAnotherProcess([(item.id.any, .inserted(values))])
      XCTAssertEqual(try root.conflicts().map(\.kind), [.insertedTwice])
      try await root.save(merging: policy)
      XCTAssertEqual(item.name, ["theirs", "rollBack"].contains(name) ? "theirs" : "mine", name)
      XCTAssertEqual(item.state, .live)
      XCTAssertEqual(try root.count(Fetch<Item>()), 1)
      XCTAssertTrue(try StoreMaintenance.verifyNow(test.store).isSound)
    }
  }

  // MARK: Closures

  func testAClosureIsGivenBaseMineAndTheirsAndMayPutThemTogether() async throws {
    try await forAll { editors, known, _ in
      let mine = try editors.mine.object(known.item)
      mine.name = "one, mine"
      try editors.theirs.object(known.item).name = "one, theirs"
      try await editors.saveTheirs()
      try await editors.saveMine(
        merging: .custom { conflict in
          guard conflict.attribute == "name", conflict.base == .string("one") else { return .refuse }
          return .value(.string("\(conflict.theirs), \(conflict.mine)"))
        })
      XCTAssertEqual(mine.name, "\"one, theirs\", \"one, mine\"")
    }
  }

  func testWhatAClosureRefusesIsAConflictAndNothingIsSaved() async throws {
    try await forAll { editors, known, _ in
      let mine = try editors.mine.object(known.item)
      let red = try editors.mine.object(known.red)
      (mine.name, red.name) = ("mine", "mine")
      try editors.theirs.object(known.item).name = "theirs"
      try editors.theirs.object(known.red).name = "theirs"
      try await editors.saveTheirs()
      let refusesItems = MergePolicy.custom { $0.object.entity == "Item" ? .refuse : .theirs }
      do {
        try await editors.saveMine(merging: refusesItems)
        XCTFail("saved")
      } catch SaveError.refused(let refusal) {
        XCTAssertEqual(refusal.conflicts.map(\.object), [known.item.any])
      }
      XCTAssertEqual([mine.name, red.name], ["mine", "mine"])
      editors.mine.discard()
    }
  }

  /// Two places of a one-to-one, and a closure that answers each with the other one.
  func testAClosureThatNeverComesToAnEndIsRefused() async throws {
    try await forAll { editors, known, _ in
      try editors.mine.object(known.green).lock = try editors.mine.object(known.free)
      try editors.theirs.object(known.blue).lock = try editors.theirs.object(known.free)
      try await editors.saveTheirs()
      let policy = MergePolicy.custom { conflict in
        .value(.reference(conflict.mine == .reference(known.free.any) ? known.lock.any : known.free.any))
      }
      do {
        try await editors.saveMine(merging: policy)
        XCTFail("saved")
      } catch {}
      editors.mine.discard()
    }
  }

  // MARK: Drafts

  func testMineWinsInARefreshedContext() async throws {
    for editsLater in [false, true] {
      try await forAll { editors, known, isSeen in
        let mine = try editors.mine.object(known.item)
        mine.name = "mine"
        try editors.theirs.object(known.item).name = "theirs"
        try await editors.saveTheirs(isSeen: isSeen)
        XCTAssertEqual(mine.name, "mine")
        if editsLater { mine.name = "mine, later" }
        try await editors.saveMine(merging: .mine)
        XCTAssertEqual(mine.name, editsLater ? "mine, later" : "mine")
      }
    }
  }

  func testAnAssignmentBackToTheBaseIsNoChange() async throws {
    try await forAll { editors, known, isSeen in
      let mine = try editors.mine.object(known.item)
      mine.name = "mine"
      try editors.theirs.object(known.item).name = "theirs"
      try await editors.saveTheirs(isSeen: isSeen)
      mine.name = "one"
      XCTAssertFalse(editors.mine.hasChanges)
      XCTAssertEqual(mine.name, isSeen ? "theirs" : "one")
      try await editors.saveMine(merging: .mine)
      if !isSeen { try (editors.mine as? RootContext)?.refresh() }
      XCTAssertEqual(mine.name, "theirs")
    }
  }

  func testWhatAPolicyDroppedIsNotInTheDraftEither() async throws {
    let test = try TestStore()
    let id: Item.ID
    do {
      let root = try RootContext(test.store, draft: "root")
      root.followsHead = false
      let item = root.insert(Item(name: "one"))
      try await root.save()
      id = item.id
      item.name = "mine"
      let other = RootContext(test.store)
      try other.object(id).name = "theirs"
      try await other.save()
      try await root.save(merging: .theirs)
      try test.store.journal.flush()
    }
    try await test.kill()
    let root = try RootContext(test.store, draft: "root")
    XCTAssertFalse(root.hasChanges)
    XCTAssertEqual(try root.object(id).name, "theirs")
  }

  func testAChildBeginsWithThePolicyOfItsParent() async throws {
    let test = try TestStore()
    let root = RootContext(test.store)
    root.mergePolicy = .mine
    let item = root.insert(Item(name: "saved"))
    try await root.save()
    let child = root.makeChild()
    try child.object(item.id).name = "mine"
    item.name = "the parent's"
    XCTAssertNoThrow(try child.save())
    XCTAssertEqual(item.name, "mine")
    child.mergePolicy = .error
    try child.object(item.id).name = "mine again"
    item.name = "the parent's again"
    XCTAssertThrowsError(try child.save())
  }
}
