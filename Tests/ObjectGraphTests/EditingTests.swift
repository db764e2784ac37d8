import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

@MainActor
final class EditingTests: XCTestCase {
  private func saved(_ test: TestStore) async throws -> (RootContext, Item) {
    let context = RootContext(test.store)
    let item = context.insert(Item(name: "one"))
    try await context.save()
    return (context, item)
  }

  // MARK: Undo

  func testDiscardForgetsStepsThatChangeNothingInAll() async throws {
    let test = try TestStore()
    let (context, item) = try await saved(test)
    context.group("There") { item.name = "two" }
    context.group("And back") { item.name = "one" }
    XCTAssertFalse(context.hasChanges)
    context.discard()
    XCTAssertFalse(context.canUndo)
  }

  func testAnInsertionThatWasUndoneMayBeInsertedAgain() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let item = context.insert(Item(name: "one"))
    context.undo()
    context.insert(item)
    XCTAssertEqual(try context.object(item.id).name, "one")
    XCTAssertEqual(item.state, .inserted)
  }

  func testTypingAfterAChildSavedIsAStepOfItsOwn() async throws {
    let test = try TestStore()
    let (context, item) = try await saved(test)
    item.name = "two"
    let child = context.makeChild()
    try child.object(item.id).name = "three"
    try child.save("Rename")
    item.name = "four"
    context.undo()
    XCTAssertEqual(item.name, "three")
  }

  func testUndoAndRedoWithinAGroupDoNothing() async throws {
    let test = try TestStore()
    let (context, item) = try await saved(test)
    item.name = "typed"
    item.valueInDollars = 1
    context.undo()
    context.group("Number") {
      XCTAssertFalse(context.canUndo || context.canRedo)
      XCTAssertNil(context.redoName)
      context.redo()
      XCTAssertEqual(item.valueInDollars, 0)
      item.valueInDollars = 2
      context.undo()
      XCTAssertEqual(item.valueInDollars, 2)
    }
    XCTAssertEqual(context.undoName, "Number")
    context.undo()
    XCTAssertEqual(item.valueInDollars, 0)
    XCTAssertEqual(item.name, "typed")
    context.redo()
    XCTAssertEqual(item.valueInDollars, 2)
  }

  func testAGroupThatThrowsAfterAnUndoLosesNoStep() async throws {
    let test = try TestStore()
    let (context, item) = try await saved(test)
    item.name = "typed"
    item.valueInDollars = 1
    context.undo()
    for first in [context.undo, context.redo] {
      do {
        try context.group("refused") {
          first()
          throw CancellationError()
        }
        XCTFail()
      } catch {}
      XCTAssertEqual(item.name, "typed")
      XCTAssertEqual(item.valueInDollars, 0)
      XCTAssertTrue(context.canUndo && context.canRedo)
    }
    XCTAssertThrowsError(
      try context.group("refused") {
        context.undo()
        item.name = "edited"
        throw CancellationError()
      })
    XCTAssertEqual(item.name, "typed")
  }

  func testRelatingANewObjectIsOneStep() async throws {
    let test = try TestStore()
    let (context, item) = try await saved(test)
    item.owner = Person(name: "Ada")
    context.undo()
    XCTAssertEqual(try context.count(Fetch<Person>()), 0)
    let person = context.insert(Person(name: "Ada"))
    person.items.insert(Item(name: "two"))
    context.undo()
    XCTAssertEqual(try context.count(Fetch<Item>()), 1)
    XCTAssertEqual(person.items.count, 0)
  }

  func testDeletingWhatRefersToItselfCanBeUndone() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let person = context.insert(Person(name: "Ada"))
    person.boss = person
    try await context.save()
    context.delete(person)
    context.undo()
    XCTAssertFalse(context.hasChanges)
    XCTAssertTrue(person.boss === person)
  }

  // MARK: What cannot be read

  func testADeleteThatCouldNotReadWhatItLeadsToIsNotSaved() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let person = context.insert(Person(name: "Ada"))
    try test.store.damageIndex(of: Item.entity, slot: 6, at: person.id.uuid)
    let boss = context.insert(Person(name: "Grace"))
    person.boss = boss
    context.delete(person)
    XCTAssertNotNil(context.readErrors[person.id.any])
    XCTAssertEqual(context.changes.inserted, [person.id.any, boss.id.any], "half a deletion")
    XCTAssertTrue(person.boss === boss)
    do {
      try await context.save()
      XCTFail("saved")
    } catch {
      guard case SaveError.unreadable = error else { return XCTFail("\(error)") }
    }
    context.discard()
    context.insert(Person(name: "Edsger"))
    try await context.save()
  }

  func testWhoeverUsesAClosedStoreIsToldThatItIsClosed() async throws {
    let test = try TestStore()
    let (context, item) = try await saved(test)
    try await test.store.close()
    item.name = "two"
    XCTAssertThrowsError(try test.store.drafts.all()) { error in
      guard case StoreError.closed? = error as? StoreError else { return XCTFail("\(error)") }
    }
    XCTAssertThrowsError(try context.makeChild(draft: "child")) { error in
      guard case DraftError.store(.closed)? = error as? DraftError else { return XCTFail("\(error)") }
    }
    XCTAssertThrowsError(try context.fetch(Fetch<Item>())) { XCTAssertTrue($0 is any RepriseError) }
    context.delete(item)
    XCTAssertFalse(context.readErrors.isEmpty)
    do {
      try await context.save()
      XCTFail("saved")
    } catch {
      guard case SaveError.store(.closed) = error else { return XCTFail("\(error)") }
    }
  }

  func testAChildMayBeSavedAgainAfterTheRootIsRefreshed() async throws {
    let test = try TestStore()
    let (context, item) = try await saved(test)
    let child = context.makeChild()
    try child.object(item.id).name = "two"
    child.failedReads[item.id.any] = .damaged(path: test.path, reason: "for a moment")
    XCTAssertThrowsError(try child.save())
    try context.refresh()
    try child.save()
    XCTAssertEqual(item.name, "two")
  }

  func testAStoredValueWithoutACaseIsRefusedWhereNothingCouldStandForIt() throws {
    let entity = Entity(Item.self, name: "Suit", properties: [.attribute("colour", Suit.self)])
    XCTAssertThrowsError(try TestStore(Schema(entities: [entity]))) { error in
      XCTAssertEqual("\(error)", "\(StoreError.schema(.missingDefault(entity: "Suit", property: "colour")))")
    }
  }

  // MARK: Conflicts

  func testAChildSettlesAConflictWithWhatItsParentHasNotSavedYet() async throws {
    let test = try TestStore()
    let (context, item) = try await saved(test)
    let child = context.makeChild()
    child.delete(try child.object(item.id))
    item.name = "two"
    let conflict = try XCTUnwrap(try child.conflicts().first)
    XCTAssertEqual(conflict.kind, .deletedByMe)
    try child.resolve(conflict, with: .null)
    XCTAssertEqual(try child.conflicts(), [])
    try child.save()
    XCTAssertEqual(item.state, .deleted)
  }

  func testAReferenceToWhatOthersDeletedIsAConflictBeforeTheSave() async throws {
    let test = try TestStore()
    let (context, item) = try await saved(test)
    let person = context.insert(Person(name: "Ada"))
    try await context.save()
    let child = context.makeChild()
    try child.object(item.id).owner = try child.object(person.id)
    context.delete(person)
    XCTAssertEqual(try child.conflicts().map(\.kind), [.missingTarget("owner")])
    XCTAssertThrowsError(try child.save())
    context.undo()
    try child.save()
    let other = RootContext(test.store)
    other.delete(try other.object(person.id))
    try await other.save()
    XCTAssertEqual(try context.conflicts().map(\.kind), [.missingTarget("owner")])
    for conflict in try context.conflicts() { try context.resolve(conflict, with: .null) }
    XCTAssertEqual(try context.conflicts(), [])
    try await context.save()
  }

  func testChangesToWhatOthersDeletedAreDiscardedByID() async throws {
    let test = try TestStore()
    let (context, item) = try await saved(test)
    let id = item.id
    item.name = "two"
    let other = RootContext(test.store)
    other.delete(try other.object(id))
    try await other.save()
    let conflict = try XCTUnwrap(try context.conflicts().first)
    XCTAssertEqual(conflict.kind, .deletedByThem)
    context.discard(conflict.object)
    XCTAssertFalse(context.hasChanges)
  }

  // MARK: Drafts

  func testADraftThatCannotBeReadMayBeReplacedOrDiscarded() async throws {
    let test = try TestStore(Schema(NewBicycle.self, NewShed.self))
    do {
      let root = try RootContext(test.store, draft: "root")
      let bicycle = root.insert(NewBicycle(name: "one"))
      try await root.save()
      bicycle.colour = "red"
      let child = try root.makeChild(draft: "child")
      try child.object(bicycle.id).colour = "dark red"
    }
    try await test.store.close()
    test.schema = Schema(OldBicycle.self, OldShed.self)
    try test.open()
    XCTAssertEqual(try test.store.drafts.all().compactMap(\.unreadableReason).count, 2)
    XCTAssertThrowsError(try RootContext(test.store, draft: "root"))
    XCTAssertFalse(try RootContext(test.store, draft: "root", ifPresent: .replace).hasChanges)
    try test.store.drafts.discard("child")
    XCTAssertEqual(try test.store.drafts.all().compactMap(\.unreadableReason), [])
  }
}

/// Without a case for the empty text.
private enum Suit: String, AttributeValue { case red, black }
