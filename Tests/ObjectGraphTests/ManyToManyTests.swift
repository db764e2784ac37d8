import RepriseLMDB
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

final class ManyToManyTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws { test = try TestStore(Schema(Student.self, Course.self, Diary.self)) }

  // Test cases live as long as the process, and each store takes address space.
  override func tearDown() { test = nil }

  private func saved(_ context: RootContext) async throws {
    try await context.save()
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, "\(report)")
  }

  func testAPairIsAtBothEndsWhoeverAddsIt() async throws {
    let context = RootContext(test.store)
    let (ada, bob) = (context.insert(Student("Ada")), context.insert(Student("Bob")))
    let (art, law) = (context.insert(Course("Art")), context.insert(Course("Law")))
    ada.courses.insert(art)
    law.students.insert(ada)
    law.students.insert(bob)
    law.students.insert(bob)
    XCTAssertEqual(ada.courses.map(\.title), ["Art", "Law"])
    XCTAssertEqual(law.students.map(\.name), ["Ada", "Bob"])
    XCTAssertEqual([ada.courses.count, bob.courses.count, art.students.count], [2, 1, 1])
    try await saved(context)

    let other = RootContext(test.store)
    let again = try other.object(ada.id)
    XCTAssertEqual(again.courses.map(\.title), ["Art", "Law"])
    XCTAssertTrue(try other.object(law.id).students.contains(again))
    XCTAssertFalse(try other.object(art.id).students.contains(try other.object(bob.id)))
    try other.object(law.id).students.remove(again)
    again.courses.remove(try other.object(law.id))
    XCTAssertEqual(again.courses.map(\.title), ["Art"])
    try await saved(other)
    try context.refresh()
    XCTAssertEqual(ada.courses.map(\.title), ["Art"])
    XCTAssertEqual(law.students.map(\.name), ["Bob"])
  }

  func testDetachedObjectsKeepTheirPairsWhenTheyAreInserted() async throws {
    let context = RootContext(test.store)
    let (ada, bob, art, law) = (Student("Ada"), Student("Bob"), Course("Art"), Course("Law"))
    // IDs are made when they are asked for.
    XCTAssertTrue(ada.id < bob.id && art.id < law.id)
    ada.courses.insert(art)
    law.students.insert(ada)
    law.students.insert(bob)
    XCTAssertEqual(ada.courses.map(\.title), ["Art", "Law"])
    XCTAssertTrue(ada.courses.contains(law))
    XCTAssertTrue(try Fetch<Student> { $0.courses.any { $0.title == "Law" } }.condition.holds(for: ada))
    XCTAssertTrue(try Fetch<Student> { $0.courses.contains(law) }.condition.holds(for: ada))
    context.insert(ada)
    XCTAssertEqual(ada.courses.map(\.title), ["Art", "Law"])
    XCTAssertEqual(law.students.map(\.name), ["Ada", "Bob"])
    try await saved(context)
    XCTAssertEqual(try RootContext(test.store).object(law.id).students.map(\.name), ["Ada", "Bob"])
  }

  func testAPairOfObjectsOfOneModelHasADirection() async throws {
    let context = RootContext(test.store)
    let (ada, bob) = (context.insert(Student("Ada")), context.insert(Student("Bob")))
    ada.helpers.insert(bob)
    ada.helpers.insert(ada)
    XCTAssertEqual(ada.helpers.map(\.name), ["Ada", "Bob"])
    XCTAssertEqual(bob.helped.map(\.name), ["Ada"])
    XCTAssertEqual(bob.helpers.count, 0)
    try await saved(context)
    context.delete(ada)
    try await saved(context)
    XCTAssertEqual(bob.helped.count, 0)
  }

  func testADeletionTakesThePairsAndUndoBringsThemBack() async throws {
    let context = RootContext(test.store)
    let (ada, law) = (context.insert(Student("Ada")), context.insert(Course("Law")))
    ada.courses.insert(law)
    try await saved(context)
    context.delete(law)
    XCTAssertEqual(ada.courses.count, 0)
    context.undo()
    XCTAssertEqual(ada.courses.map(\.title), ["Law"])
    XCTAssertFalse(context.hasChanges)
    context.redo()
    try await saved(context)
    XCTAssertEqual(try RootContext(test.store).object(ada.id).courses.count, 0)
  }

  func testACascadeGoesThroughThePairs() async throws {
    let context = RootContext(test.store)
    let (ada, bob) = (context.insert(Student("Ada")), context.insert(Student("Bob")))
    let diary = context.insert(Diary())
    diary.authors.insert(ada)
    diary.authors.insert(bob)
    try await saved(context)
    diary.authors.remove(bob)
    XCTAssertEqual(diary.state, .live)
    context.undo()
    context.delete(ada)
    XCTAssertEqual(diary.state, .deleted)
    try await saved(context)
    XCTAssertEqual(try context.count(Fetch<Diary>()), 0)
    XCTAssertEqual(try context.count(Fetch<Student>()), 1)
  }

  func testTwoContextsThatAddDifferentMembersBothWinAndOfTheSameThereIsOne() async throws {
    let (one, other) = (RootContext(test.store), RootContext(test.store))
    let ada = one.insert(Student("Ada"))
    let courses = ["Art", "Law", "Zoo"].map { one.insert(Course($0)) }
    try await saved(one)
    try other.refresh()
    let (here, there) = (ada, try other.object(ada.id))
    here.courses.insert(courses[0])
    here.courses.insert(courses[1])
    there.courses.insert(try other.object(courses[1].id))
    there.courses.insert(try other.object(courses[2].id))
    try await saved(one)
    try await saved(other)
    XCTAssertEqual(there.courses.map(\.title), ["Art", "Law", "Zoo"])
    // Both remove the same.
    there.courses.remove(try other.object(courses[1].id))
    try one.refresh()
    here.courses.remove(courses[1])
    try await saved(one)
    try await saved(other)
    XCTAssertEqual(there.courses.map(\.title), ["Art", "Zoo"])
  }

  func testAPairWithWhatOthersDeletedIsAConflictAndGoesByMinePolicy() async throws {
    let (one, other) = (RootContext(test.store), RootContext(test.store))
    let (ada, law) = (one.insert(Student("Ada")), one.insert(Course("Law")))
    try await saved(one)
    try other.refresh()
    try other.object(ada.id).courses.insert(try other.object(law.id))
    one.delete(law)
    try await saved(one)
    do {
      try await other.save()
      XCTFail("saved")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.conflicts.map(\.mine), [.reference(law.id.any)])
      try other.resolve(refusal.conflicts[0], with: .null)
    }
    XCTAssertFalse(other.hasChanges)
    try other.object(ada.id).name = "Ada L."
    try await saved(other)
    XCTAssertEqual(try other.object(ada.id).courses.count, 0)
  }

  func testADeletionOfWhatOthersAddedToIsAConflictThatEachSideMayWin() async throws {
    for policy in [MergePolicy.mine, .theirs] {
      let (one, other) = (RootContext(test.store), RootContext(test.store))
      let (ada, law) = (one.insert(Student("Ada")), one.insert(Course("Law")))
      try await saved(one)
      try other.refresh()
      ada.courses.insert(law)
      other.delete(try other.object(law.id))
      try await saved(one)
      XCTAssertEqual(try other.conflicts().count, 1)
      try await other.save(merging: policy)
      try one.refresh()
      let isMine = if case .mine = policy { true } else { false }
      XCTAssertEqual(ada.courses.map(\.title), isMine ? [] : ["Law"])
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, "\(report)")
    }
  }

  func testChildrenSeeAndSavePairsAndDiscardTakesThemBack() async throws {
    let context = RootContext(test.store)
    let (ada, law) = (context.insert(Student("Ada")), context.insert(Course("Law")))
    let art = context.insert(Course("Art"))
    ada.courses.insert(law)
    let child = context.makeChild()
    let inner = try child.object(ada.id)
    inner.courses.insert(try child.object(art.id))
    inner.courses.remove(try child.object(law.id))
    XCTAssertEqual(ada.courses.map(\.title), ["Law"])
    child.discard()
    XCTAssertEqual(inner.courses.map(\.title), ["Law"])
    inner.courses.insert(try child.object(art.id))
    try child.save()
    XCTAssertEqual(Set(ada.courses.map(\.title)), ["Art", "Law"])
    context.undo()
    XCTAssertEqual(ada.courses.map(\.title), ["Law"])
    try await saved(context)
  }

  func testFetchesLookThroughPairs() async throws {
    let context = RootContext(test.store)
    let students = ["Ada", "Bob", "Cleo"].map { context.insert(Student($0)) }
    let courses = ["Art", "Law"].map { context.insert(Course($0)) }
    for student in students { student.courses.insert(courses[0]) }
    students[1].courses.insert(courses[1])
    func check(_ context: RootContext) throws {
      func names(_ fetch: Fetch<Student>) throws -> [String] { try context.fetch(fetch.sorted { $0.name }).map(\.name) }
      let law = courses[1].id
      XCTAssertEqual(try names(Fetch { $0.courses.contains(law) }), ["Bob"])
      XCTAssertEqual(try names(Fetch { $0.courses.any { $0.title == "Law" } }), ["Bob"])
      XCTAssertEqual(try names(Fetch { $0.courses.any { $0.title == "Art" } }), ["Ada", "Bob", "Cleo"])
      XCTAssertEqual(try names(Fetch { $0.courses.all { $0.title == "Art" } }), ["Ada", "Cleo"])
      XCTAssertEqual(try names(Fetch { $0.courses.count > 1 }), ["Bob"])
      XCTAssertEqual(try names(Fetch { $0.helpers.isEmpty }), ["Ada", "Bob", "Cleo"])
      XCTAssertEqual(
        try names(Fetch { $0.courses.any { $0.students.any { $0.name == "Cleo" } } }), ["Ada", "Bob", "Cleo"])
      XCTAssertEqual(try context.count(Fetch<Course> { $0.students.any { $0.name == "Bob" } }), 2)
    }
    try check(context)
    try await saved(context)
    try check(context)
    try check(RootContext(test.store))
  }

  func testAPairIsServedByTheIndexesNotByAScan() async throws {
    let context = RootContext(test.store)
    let law = context.insert(Course("Law"))
    for number in 0..<100 {
      let student = context.insert(Student("\(number)"))
      if number < 3 { student.courses.insert(law) }
    }
    try await saved(context)
    let explanation = try context.explain(Fetch<Student> { $0.courses.contains(law.id) })
    XCTAssertLessThan(explanation.visits, 10, "\(explanation)")
  }

  func testChangesNameTheObjectsAndNotTheLink() throws {
    let context = RootContext(test.store)
    let (ada, law) = (context.insert(Student("Ada")), context.insert(Course("Law")))
    ada.courses.insert(law)
    XCTAssertEqual(Set(context.changes.inserted), [ada.id.any, law.id.any])
    XCTAssertEqual(context.changes.updated, [])
  }

  func testAMemberMoreCostsAsMuchLogAsTheFirst() async throws {
    let context = RootContext(test.store)
    let law = context.insert(Course("Law"))
    let students = (0..<2000).map { context.insert(Student("\($0)")) }
    law.students = ToMany(students.dropLast())
    XCTAssertEqual(law.students.count, 1999)
    try await saved(context)
    law.students.insert(students[1999])
    try await saved(context)
    let store = test.store
    let size = try store.read { (view, head) throws(StorageError) in
      try store.files.log.withFrame(head, view) { (frame) throws(MalformedBytes) in frame.bytes.count }
    }
    XCTAssertLessThan(size, 250)
  }

  func testTheFirstOfManyMakesNoOther() async throws {
    let context = RootContext(test.store)
    let ada = context.insert(Student("Ada"))
    XCTAssertNil(ada.courses.first)
    let ids = ["Art", "Law", "Zoo"].map { title in
      let course = context.insert(Course(title))
      ada.courses.insert(course)
      return course.id
    }
    XCTAssertEqual(ada.courses.first?.id, ids[0])
    try await saved(context)
    let other = RootContext(test.store)
    XCTAssertEqual(try other.object(ada.id).courses.first?.id, ids[0])
    XCTAssertNil(other.liveInstance(of: ids[1].any))
    other.delete(try other.object(ids[0]))
    XCTAssertEqual(try other.object(ada.id).courses.first?.id, ids[1])
    XCTAssertNil(other.liveInstance(of: ids[2].any))
  }

  func testASetAsAWholeRecordsTheDifferenceAsOneStep() async throws {
    let context = RootContext(test.store)
    let ada = context.insert(Student("Ada"))
    let courses = ["Art", "Law", "Zoo"].map { context.insert(Course($0)) }
    ada.courses = [courses[0], courses[1]]
    try await saved(context)
    ada.courses = [courses[1], courses[2]]
    XCTAssertEqual(ada.courses.map(\.title), ["Law", "Zoo"])
    XCTAssertEqual(context.overlay.changes.map(\.key).count, 2)
    XCTAssertEqual(ada.courses.first?.title, "Law")
    context.undo()
    XCTAssertEqual(ada.courses.map(\.title), ["Art", "Law"])
    XCTAssertFalse(context.hasChanges)
    ada.courses = ada.courses
    XCTAssertFalse(context.hasChanges)
    ada.courses.removeAll()
    ada.courses.insert(contentsOf: courses)
    XCTAssertEqual(ada.courses.count, 3)
    ada.courses.remove(contentsOf: courses.dropFirst())
    XCTAssertEqual(ada.courses.map(\.title), ["Art"])
    let bob = Student("Bob")
    bob.courses = [Course("Sea"), Course("Sky")]
    context.insert(bob)
    XCTAssertEqual(Set(bob.courses.map(\.title)), ["Sea", "Sky"])
    try await saved(context)
  }

  /// The same students in a program that knows neither courses of theirs nor helpers.
  private final class Pupil: TestModel {
    static let entity = Entity(Pupil.self, name: "Student", properties: [.attribute("name", String.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    var name: String { _storage.get(0) }
  }

  func testAProgramWithoutTheRelationshipLeavesNoPairsOfWhatItDeletes() async throws {
    let law: Course.ID
    do {
      let context = RootContext(test.store)
      let course = context.insert(Course("Law"))
      law = course.id
      for name in ["Ada", "Bob"] {
        let student = context.insert(Student(name))
        student.courses.insert(course)
        student.helpers.insert(student)
      }
      try await saved(context)
    }
    try await test.store.close()
    // No object of the two others is made.
    let lesson = Entity(Pupil.self, name: "Course", properties: [.attribute("title", String.self)])
    let page = Entity(Pupil.self, name: "Diary", properties: [])
    test.schema = Schema(entities: [Pupil.entity, lesson, page])
    try test.open()
    do {
      let context = RootContext(test.store)
      for pupil in try context.fetch(Fetch<Pupil>()) where pupil.name == "Ada" { context.delete(pupil) }
      try await saved(context)
    }
    try await test.store.close()
    test.schema = Schema(Student.self, Course.self, Diary.self)
    try test.open()
    let context = RootContext(test.store)
    XCTAssertEqual(try context.object(law).students.map(\.name), ["Bob"])
    XCTAssertEqual(try context.object(law).students.count, 1)
    let store = test.store
    let links = try XCTUnwrap(store.map.all.first { $0.entity.name == "Student.helped" })
    XCTAssertEqual(try store.objects.count(of: links), 1)
  }

  func testARebuiltStoreHasThePairs() async throws {
    let id: Course.ID
    do {
      let context = RootContext(test.store)
      let law = context.insert(Course("Law"))
      id = law.id
      law.students = [context.insert(Student("Ada")), context.insert(Student("Bob"))]
      try await saved(context)
      law.students.remove(try XCTUnwrap(law.students.first))
      try await saved(context)
    }
    try await test.store.close()
    try await StoreMaintenance.rebuild(test.path)
    try test.open()
    XCTAssertEqual(try RootContext(test.store).object(id).students.map(\.name), ["Bob"])
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, "\(report)")
  }

  @MainActor
  func testPairsAndPlacesOfADraftComeBackAfterAKill() async throws {
    let test = try TestStore(Schema(Album.self, Song.self, Playlist.self))
    let (albumID, playlistID): (Album.ID, Playlist.ID)
    do {
      let root = test.store.mainContext
      let album = root.insert(Album("A"))
      let playlist = root.insert(Playlist())
      album.songs = OrderedToMany("abc".map { Song(String($0)) })
      (albumID, playlistID) = (album.id, playlist.id)
      try await root.save()
      let editor = try root.makeChild(draft: "editor")
      let songs = try editor.object(albumID).songs
      songs.move(from: 2, to: 0)
      try editor.object(playlistID).songs = [songs[1], songs[0]]
      try test.store.journal.flush()
    }
    try await test.kill()
    let editor = try test.store.mainContext.makeChild(draft: "editor")
    XCTAssertEqual(try editor.object(albumID).songs.map(\.name), ["c", "a", "b"])
    XCTAssertEqual(try editor.object(playlistID).songs.map(\.name), ["a", "c"])
    editor.undo()
    XCTAssertEqual(try editor.object(playlistID).songs.map(\.name), [])
    editor.redo()
    try editor.save()
    try await test.store.mainContext.save()
    XCTAssertEqual(try RootContext(test.store).object(playlistID).songs.map(\.name), ["a", "c"])
  }
}
