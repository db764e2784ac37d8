import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Lists whose conditions and orders look through pairs.
final class ManyToManyListTests: XCTestCase {
  func testAListFollowsPairsAndTheObjectsBehindThem() async throws {
    let test = try TestStore(Schema(Student.self, Course.self, Diary.self))
    let context = RootContext(test.store)
    let (art, law) = (context.insert(Course("Art")), context.insert(Course("Law")))
    let students = ["Ada", "Bob", "Cleo"].map { context.insert(Student($0)) }
    let ofLaw = try FetchedList(Fetch<Student> { $0.courses.contains(law) }.sorted { $0.name }, in: context)
    let ofTitle = try FetchedList(
      Fetch<Student> { $0.courses.any { $0.title == "Law" } }.sorted { $0.name }, in: context)
    let byCount = try FetchedList(Fetch<Student>().sorted { $0.courses.count.descending }, in: context)
    var batches = 0
    let observations = [ofLaw, ofTitle, byCount].map { list in
      list.observe { batch in
        batches += 1
        XCTAssertNotNil(batch.changes)
      }
    }
    func names(_ list: FetchedList<Student>) -> [String] { list.elements.map(\.name) }
    XCTAssertEqual(names(ofLaw), [])
    law.students = [students[2], students[0]]
    XCTAssertEqual([names(ofLaw), names(ofTitle)], [["Ada", "Cleo"], ["Ada", "Cleo"]])
    students[2].courses.insert(art)
    XCTAssertEqual(names(byCount), ["Cleo", "Ada", "Bob"])
    art.title = "Law"
    law.title = "Zoo"
    XCTAssertEqual([names(ofLaw), names(ofTitle)], [["Ada", "Cleo"], ["Cleo"]])
    try await context.save()
    context.delete(law)
    XCTAssertEqual([names(ofLaw), names(byCount)], [[], ["Cleo", "Bob", "Ada"]])
    context.undo()
    let other = RootContext(test.store)
    try other.object(students[1].id).courses.insert(try other.object(law.id))
    try await other.save()
    try context.refresh()
    XCTAssertEqual(names(ofLaw), ["Ada", "Bob", "Cleo"])
    XCTAssertGreaterThan(batches, 5)
    withExtendedLifetime(observations) {}
  }
}
