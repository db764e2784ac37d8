import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@MainActor
final class MergeRuleTests: XCTestCase {
  private func forRootsAndChildren(_ body: @MainActor (TwoEditors, Tally.ID) async throws -> Void) async throws {
    for isChild in [false, true] {
      let test = try TestStore(Schema(Tally.self))
      let root = RootContext(test.store)
      let tally = root.insert(Tally())
      try await root.save()
      let editors = TwoEditors(root, isChild: isChild)
      try await body(editors, tally.id)
      if isChild, !editors.mine.hasChanges { try await root.save() }
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, report.description)
    }
  }

  func testBothAdditionsToACounterCount() async throws {
    try await forRootsAndChildren { editors, id in
      let (mine, theirs) = (try editors.mine.object(id), try editors.theirs.object(id))
      for (tally, step) in [(mine, 5), (theirs, -2)] {
        tally.count += step
        tally.small += Int8(step)
        tally.share = (tally.share ?? 0) + Double(step) / 2
      }
      mine.big += 3
      theirs.big += 3
      try await editors.saveTheirs(isSeen: false)
      XCTAssertEqual(try editors.mine.conflicts(), [])
      try await editors.saveMine()
      XCTAssertEqual(mine.count, 3)
      XCTAssertEqual(mine.small, 3)
      XCTAssertEqual(mine.share, 1.5)
      XCTAssertEqual(mine.big, 6, "the same number, come to twice")
    }
  }

  func testASumThatACounterCannotHoldIsAConflict() async throws {
    try await forRootsAndChildren { editors, id in
      let (mine, theirs) = (try editors.mine.object(id), try editors.theirs.object(id))
      for tally in [mine, theirs] {
        tally.count = .max
        tally.small = 100
        tally.share = .greatestFiniteMagnitude
        tally.big = .max
      }
      try await editors.saveTheirs(isSeen: false)
      let names = ["count", "small", "big", "share"]
      XCTAssertEqual(try editors.mine.conflicts().map(\.kind), names.map { .attribute($0) })
      try await editors.saveMine(merging: .theirs)
      XCTAssertEqual(mine.small, 100)
    }
  }

  func testEditsOfDifferentWordsOfATextBothCountAndOfOneWordTheyConflict() async throws {
    try await forRootsAndChildren { editors, id in
      let (mine, theirs) = (try editors.mine.object(id), try editors.theirs.object(id))
      mine.story = "The chair is red."
      try await editors.saveMine()
      try await editors.agree()
      mine.story = "The old chair is red."
      theirs.story = "The chair is green, and new."
      try await editors.saveTheirs(isSeen: false)
      XCTAssertEqual(try editors.mine.conflicts(), [])
      try await editors.saveMine()
      XCTAssertEqual(mine.story, "The old chair is green, and new.")
      try await editors.agree()
      mine.story = "The old chair is blue, and new."
      theirs.story = "The old chair is black, and new."
      try await editors.saveTheirs(isSeen: false)
      XCTAssertEqual(try editors.mine.conflicts().map(\.kind), [.attribute("story")])
      try await editors.saveMine(merging: .theirs)
      XCTAssertEqual(mine.story, "The old chair is black, and new.")
      try await editors.agree()
      mine.story = nil
      theirs.story = "Another."
      try await editors.saveTheirs(isSeen: false)
      XCTAssertEqual(try editors.mine.conflicts().map(\.kind), [.attribute("story")])
      editors.mine.discard()
    }
  }

  func testACounterThatOneTookAwayIsAConflict() async throws {
    try await forRootsAndChildren { editors, id in
      let (mine, theirs) = (try editors.mine.object(id), try editors.theirs.object(id))
      mine.share = 1
      try await editors.saveMine()
      try await editors.agree()
      mine.share = 2
      theirs.share = nil
      try await editors.saveTheirs(isSeen: false)
      XCTAssertEqual(try editors.mine.conflicts().map(\.kind), [.attribute("share")])
      editors.mine.discard()
    }
  }

  func testWhatBothPutIntoASetOrTookOutCounts() async throws {
    try await forRootsAndChildren { editors, id in
      let (mine, theirs) = (try editors.mine.object(id), try editors.theirs.object(id))
      mine.tags = ["a", "b", "c"]
      mine.days = [.monday, .tuesday]
      try await editors.saveMine()
      try await editors.agree()
      mine.tags = ["a", "c", "mine", "both"]
      theirs.tags = ["a", "b", "theirs", "both"]
      mine.days = [.tuesday, .friday]
      theirs.days = [.monday]
      try await editors.saveTheirs(isSeen: false)
      try await editors.saveMine()
      XCTAssertEqual(mine.tags, ["a", "mine", "theirs", "both"])
      XCTAssertEqual(mine.days, [.friday])
    }
  }

  func testTheLastWriterHasTheLastWord() async throws {
    try await forRootsAndChildren { editors, id in
      let (mine, theirs) = (try editors.mine.object(id), try editors.theirs.object(id))
      mine.note = "mine"
      theirs.note = "theirs"
      try await editors.saveTheirs(isSeen: false)
      XCTAssertEqual(try editors.mine.conflicts(), [])
      try await editors.saveMine()
      XCTAssertEqual(mine.note, "mine")
    }
  }

  func testAdditionsOfManyAtTheSameTimeAllCountWithoutAConflict() async throws {
    let test = try TestStore(Schema(Tally.self))
    let root = RootContext(test.store)
    let id = root.insert(Tally()).id
    try await root.save()
    let store = test.store
    let refused = await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          let context = BackgroundContext(store)
          return await context.perform { context in
            var refused = 0
            for _ in 0..<50 {
              do {
                try context.object(id).count += 1
                try await context.save()
              } catch {
                refused += 1
              }
            }
            return refused
          }
        }
      }
      var refused = 0
      for await count in group { refused += count }
      return refused
    }
    XCTAssertEqual(refused, 0)
    XCTAssertEqual(try RootContext(store).object(id).count, 400)
  }

  func testARuleForAnotherKindOfAttributeIsRefusedWhenTheStoreIsOpened() {
    func wrong(_ rule: MergeRule) -> Schema {
      let properties = [Property.attribute("text", String.self, merge: rule)]
      return Schema(entities: [Entity(Tally.self, name: "Wrong", properties: properties)])
    }
    XCTAssertThrowsError(try TestStore(wrong(.counter))) { error in
      let expected = SchemaError.mergeRule(.counter, entity: "Wrong", property: "text")
      XCTAssertEqual("\(error)", "\(StoreError.schema(expected))")
    }
    XCTAssertThrowsError(try TestStore(wrong(.set)))
  }
}

extension TwoEditors {
  /// Both see what was saved, and nothing is pending.
  fileprivate func agree() async throws {
    guard let root = theirs as? RootContext else { return }
    if isChild { try await root.save() } else { try root.refresh() }
  }
}
