import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

/// Assignments to objects that the context itself deleted, and of such objects to relationships.
@MainActor
final class DeletedObjectTests: XCTestCase {
  private var test: TestStore!
  private var context: RootContext!
  private var item: Item!
  private var other: Item!

  override func setUp() async throws {
    test = try TestStore()
    context = RootContext(test.store)
    item = context.insert(Item(name: "one"))
    other = context.insert(Item(name: "other"))
    try await context.save("Add")
  }

  override func tearDown() async throws { (test, context, item, other) = (nil, nil, nil, nil) }

  private func assignEverywhere(to item: Item, _ owner: Person) throws {
    item.name = "two"
    item.owner = owner
    owner.items.insert(item)
    try item.set("name", to: .string("three"))
  }

  func testAssigningAfterTheDeletionWasSavedIsIgnored() async throws {
    let ada = context.insert(Person(name: "Ada"))
    context.delete(item)
    try await context.save("Delete")
    try assignEverywhere(to: item, ada)
    XCTAssertEqual(item.name, "one")
    XCTAssertEqual(item.state, .deleted)
    XCTAssertEqual(ada.items.count, 0)
    XCTAssertFalse(context.hasChanges)
    other.name = "edited"
    try await context.save("Edit")
    XCTAssertEqual(try RootContext(test.store).fetch(Fetch<Item>()).map(\.name), ["edited"])
  }

  /// A live object and a deleted one, for each end of a relationship.
  private struct Pairs {
    let item = Item(name: "one"), owner = Person(name: "Ada"), gone = Person(name: "Ben")
    let bicycle = Bicycle(name: "red"), goneBicycle = Bicycle(name: "blue")
    let lock = Lock(code: 1), goneLock = Lock(code: 2)
    let guest = Guest("Cy", "Live"), goneGuest = Guest("Di", "Gone")
    let hotel = Hotel("open"), goneHotel = Hotel("torn down")
    let student = Student("Eve"), goneStudent = Student("Fay")
    let course = Course("Latin"), goneCourse = Course("Greek")

    @MainActor func insert(into context: RootContext) {
      item.owner = owner
      bicycle.lock = lock
      guest.hotel = hotel
      let all: [any PersistentModel] = [
        item, gone, bicycle, goneBicycle, goneLock, guest, goneGuest, goneHotel, student, goneStudent, course,
        goneCourse,
      ]
      for object in all { context.insertReachable(object) }
    }

    @MainActor func delete(from context: RootContext) {
      context.delete(gone)
      context.delete(goneBicycle)
      context.delete(goneLock)
      context.delete(goneGuest)
      context.delete(goneHotel)
      context.delete(goneStudent)
      context.delete(goneCourse)
    }

    @MainActor func assignEverywhere() {
      item.owner = gone
      gone.items.insert(item)
      bicycle.lock = goneLock
      goneLock.bicycle = bicycle
      lock.bicycle = goneBicycle
      goneBicycle.lock = lock
      guest.hotel = goneHotel
      goneHotel.guests.append(guest)
      hotel.guests.append(goneGuest)
      hotel.guests.insert(goneGuest, at: 0)
      goneGuest.hotel = hotel
      student.courses.insert(goneCourse)
      goneCourse.students.insert(student)
      course.students.insert(goneStudent)
      student.helpers.insert(goneStudent)
      goneStudent.helped.insert(student)
      student.friends.insert(goneStudent)
      goneStudent.friends.insert(student)
    }

    @MainActor func assertAsBefore(_ message: String) {
      XCTAssertEqual(item.owner?.id, owner.id, message)
      XCTAssertEqual(bicycle.lock?.id, lock.id, message)
      XCTAssertEqual(lock.bicycle?.id, bicycle.id, message)
      XCTAssertEqual(guest.hotel?.id, hotel.id, message)
      XCTAssertEqual(hotel.guests.map(\.id), [guest.id], message)
      XCTAssertEqual([student.courses.count, student.friends.count, student.helpers.count], [0, 0, 0], message)
      XCTAssertEqual(course.students.count, 0, message)
    }
  }

  func testPointingALiveObjectAtADeletedOneIsIgnored() async throws {
    for isSaved in [false, true] {
      let test = try TestStore(
        Schema(
          Item.self, Person.self, Bicycle.self, Lock.self, Key.self, Shed.self, Guest.self, Hotel.self, Student.self,
          Course.self, Diary.self))
      let context = RootContext(test.store)
      let pairs = Pairs()
      pairs.insert(into: context)
      try await context.save("Add")
      pairs.delete(from: context)
      if isSaved { try await context.save("Delete") }
      pairs.assignEverywhere()
      let message = isSaved ? "after the save" : "before the save"
      XCTAssertThrowsError(try pairs.item.set("owner", to: .reference(pairs.gone.id.any)))
      pairs.assertAsBefore(message)
      XCTAssertEqual(context.changes.updated, [], message)
      XCTAssertEqual(context.changes.inserted, [], message)
      XCTAssertEqual(context.hasChanges, !isSaved, message)
      XCTAssertEqual(try context.conflicts(), [], message)
      pairs.item.name = "edited"
      try await context.save("Edit")
      XCTAssertEqual(try RootContext(test.store).fetch(Fetch<Item>()).map(\.owner?.name), ["Ada"])
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertEqual(report.problems, [])
    }
  }

  func testADetachedObjectThatIsPointedAtADeletedOneIsInsertedWithoutIt() async throws {
    let ada = context.insert(Person(name: "Ada"))
    try await context.save("Add")
    context.delete(ada)
    try await context.save("Delete")
    let new = Item(name: "new")
    new.owner = ada
    context.insert(new)
    XCTAssertNil(new.owner)
    try await context.save("Add")
  }

  func testWhatADeleteRuleDeletedIsOutOfReachToo() async throws {
    let ada = context.insert(Person(name: "Ada"))
    item.owner = ada
    try await context.save("Own")
    context.delete(ada)
    try await context.save("Delete")
    item.name = "two"
    XCTAssertFalse(context.hasChanges)
    try await context.save("Nothing")
  }

  func testAChildIgnoresAssignmentsAfterItSavedTheDeletion() async throws {
    let child = context.makeChild()
    let (inChild, otherInChild) = (try child.object(item.id), try child.object(other.id))
    child.delete(inChild)
    try child.save("Delete")
    for _ in 0..<2 {
      inChild.name = "two"
      item.name = "two"
      XCTAssertFalse(child.hasChanges)
      XCTAssertEqual(context.changes.updated, [])
      otherInChild.valueInDollars += 1
      try child.save("Edit")
      // Then the deletion is in the log.
      try await context.save("Delete")
      XCTAssertEqual(inChild.state, .deleted)
    }
    XCTAssertEqual(other.valueInDollars, 2)
  }

  func testADeletedObjectThatIsBackTakesAssignments() async throws {
    context.delete(item)
    try await context.save("Delete")
    item.name = "two"
    context.insert(item)
    item.name = "three"
    try await context.save("Insert again")
    XCTAssertEqual(try RootContext(test.store).object(item.id).name, "three")
    context.delete(item)
    let deletion = try await context.save("Delete")
    XCTAssertEqual(item.state, .deleted)
    try context.revert(transactionAt: deletion)
    item.name = "four"
    try await context.save("Undo")
    XCTAssertEqual(try RootContext(test.store).object(item.id).name, "four")
  }

  func testEditsOfWhatOthersDeletedStayAConflict() async throws {
    try await test.store.write("Delete") { [id = item.id] in $0.delete(try $0.object(id)) }
    try context.refresh()
    item.name = "two"
    XCTAssertEqual(try context.conflicts().map(\.kind), [.deletedByThem])
  }
}
