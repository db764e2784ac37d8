import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestJournal
import RepriseTestLog
import RepriseTestModels
import XCTest

/// Drafts across updates of the app: the journal knows properties by number.
final class JournalSchemaTests: JournalTestCase {
  private func map(_ models: any PersistentModel.Type...) throws -> SchemaMap {
    SchemaMap(try ResolvedSchema(Schema(models)), LogFixture.storedSchema)
  }

  private func fill(_ journal: Journal) {
    journal.append([
      began("a"), edited("a", 1, .int(1), .int(2)),
      edited("a", 1, .string("old"), .string("new"), slot: LogSample.title),
      edited("a", 2, .null, .double(0.5), slot: LogSample.ratio), began("b"), edited("b", 1, .int(1), .int(3)),
    ])
  }

  func testADraftSurvivesPropertiesInAnotherOrder() throws {
    let journal = try open()
    fill(journal)
    try journal.write()
    journal.abandon()
    let reordered = try map(Reordered.self)
    let next = try open(map: reordered)
    for _ in 0..<2 {
      let image = try image(next, map: reordered)
      XCTAssertEqual(image.problems, [])
      let draft = try XCTUnwrap(image.drafts["a"])
      let sample = { (number: UInt64) in AnyObjectID(EntityName("Sample"), self.object(number).uuid) }
      XCTAssertEqual(
        draft.changes,
        [
          sample(1): .updated([
            PropertyChange(slot: Reordered.count, old: .int(1), new: .int(2)),
            PropertyChange(slot: Reordered.title, old: .string("old"), new: .string("new")),
          ]), sample(2): .updated([PropertyChange(slot: Reordered.ratio, old: .null, new: .double(0.5))]),
        ])
      XCTAssertEqual(draft.groups.count, 3)
      try checkpoint(next)
    }
    next.append([
      .draftEdited(
        draft: "a", generation: 1, startsGroup: true, groupName: nil,
        DraftEdit(
          object: object(1),
          change: .updated([PropertyChange(slot: Reordered.count, old: .int(2), new: .int(7))])))
    ])
    try next.write()
    next.abandon()
    XCTAssertEqual(counts(try draft(try open(), "a"))[1], 7)
  }

  func testAnInsertionBeforeAPropertyWasAddedHasItsDefault() throws {
    let few = try map(Smaller.self)
    let journal = try open(map: few)
    let values: ContiguousArray<PropertyValue> = [.int(4), .string("title")]
    journal.append([began("a"), edited("a", DraftEdit(object: object(1), change: .inserted(values)))])
    try journal.write()
    journal.abandon()
    let image = try XCTUnwrap(draft(try open(), "a"))
    var expected = try LogFixture.entity(self.map).defaults
    expected[LogSample.count] = .int(4)
    expected[LogSample.title] = .string("title")
    XCTAssertEqual(image.changes, [object(1): .inserted(expected)])
  }

  func testADraftOfUnknownPropertiesIsKeptAndReported() throws {
    let journal = try open()
    fill(journal)
    try journal.write()
    let whole = try image(journal)
    journal.abandon()

    let few = try map(Smaller.self)
    let next = try open(map: few)
    for _ in 0..<3 {
      let image = try image(next, map: few)
      XCTAssertEqual(image.drafts.keys.sorted(), ["b"], "what needs nothing unknown is readable")
      XCTAssertEqual(image.unreadable.keys.sorted(), ["a"])
      XCTAssertEqual(image.unreadable["a"]?.author, "ada")
      XCTAssertTrue(image.problems.contains { if case .unreadableDraft(draft: "a", _) = $0 { true } else { false } })
      try checkpoint(next)
    }
    next.abandon()
    let again = try image(try open())
    XCTAssertEqual(again.problems, [])
    XCTAssertEqual(again.drafts["a"]?.changes, whole.drafts["a"]?.changes)
    XCTAssertEqual(again.drafts["a"]?.groups, whole.drafts["a"]?.groups)
  }

  func testADraftOfAnUnknownEntityIsKeptAndReported() throws {
    let journal = try open()
    fill(journal)
    try journal.write()
    journal.abandon()
    let none = try map()
    let next = try open(map: none)
    XCTAssertEqual(try image(next, map: none).unreadable.keys.sorted(), ["a", "b"])
    try checkpoint(next)
    try next.close()
    XCTAssertEqual(try image(try open()).drafts.keys.sorted(), ["a", "b"])
  }

  func testUndoStopsWhereTheModelsKnowNoMore() throws {
    let journal = try open()
    journal.append([
      began("a"), edited("a", 2, .null, .double(0.5), slot: LogSample.ratio),
      edited("a", 2, .double(0.5), .null, slot: LogSample.ratio), edited("a", 1, .int(1), .int(2)),
    ])
    try journal.write()
    journal.abandon()
    let few = try map(Smaller.self)
    let next = try open(map: few)
    let draft = try XCTUnwrap(try image(next, map: few).drafts["a"])
    XCTAssertEqual(draft.changes.count, 1)
    XCTAssertEqual(draft.groupCount, 3)
    XCTAssertEqual(draft.groups.count, 1)
    guard case .undoCutShort(draft: "a", _) = draft.history.problems.first else { return XCTFail("not reported") }
  }

  func testAnEditThatTheStoreDoesNotKnowIsReported() throws {
    let plan = FaultPlan()
    let none = try map()
    let journal = try open(map: none) { $0.use(plan) }
    journal.append([began("a"), edited("a", 1, .int(0), .int(1)), .nodePut(scene: "main", key: "x", bytes: [])])
    XCTAssertEqual(plan.errors, [.notInSchema(draft: "a", entity: "Sample")])
    XCTAssertEqual(try image(journal, map: none).scenes.count, 1, "the rest is recorded")
    journal.use(map)
    journal.append([edited("a", 1, .int(0), .int(1))])
    XCTAssertEqual(counts(try draft(journal, "a")), [1: 1])
    XCTAssertEqual(plan.errors.count, 1)
  }
}

/// The sample model with its properties in another order, some left out.
private final class Reordered: TestModel {
  static let entity = Entity(
    Reordered.self, name: "Sample",
    properties: [
      .attribute("count", Int.self), .attribute("isDone", Bool.self), .attribute("title", String.self),
      .attribute("ratio", Double?.self),
    ])
  static let count = 0, title = 2, ratio = 3
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Smaller: TestModel {
  static let entity = Entity(
    Smaller.self, name: "Sample", properties: [.attribute("count", Int.self), .attribute("title", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
