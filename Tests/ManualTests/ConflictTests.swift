#if Macros
import Foundation
import Reprise
import XCTest

final class ConflictTests: ManualTestCase {
  func testConflictsAreValues() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let id = book.id
    let context = store.mainContext
    context.followsHead = false
    book.title = "The Dispossessed: An Ambiguous Utopia"
    book.pages = 341
    try await store.write { other in
      try other.object(id).title = "Los desposeídos"
      try other.object(id).year = 1975
    }

    do {
      try await context.save("Edit a book")
      XCTFail("saved")
    } catch SaveError.refused(let refusal) {
      for conflict in refusal.conflicts {
        print(conflict.attribute ?? "the object", conflict.base, conflict.mine, conflict.theirs)
        try context.resolve(conflict, with: conflict.mine)
      }
      try await context.save("Edit a book")
    }
    XCTAssertEqual(book.title, "The Dispossessed: An Ambiguous Utopia")
    XCTAssertEqual(book.year, 1975)
    XCTAssertEqual(book.pages, 341)
  }

  func testPolicies() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let id = book.id
    let context = store.mainContext
    context.followsHead = false
    book.title = "Mine"
    try await store.write { try $0.object(id).title = "Theirs" }

    try await context.save("Edit a book", merging: .theirs)
    context.mergePolicy = .custom { conflict in conflict.attribute == "title" ? .theirs : .refuse }
    XCTAssertEqual(book.title, "Theirs")
  }

  func testTheFrontPage() async throws {
    let store = try await makeStore()
    let context = store.mainContext
    let book = context.insert(Book("The Dispossessed", year: 1974))
    try await context.save("Add a book")

    let editor = try context.makeChild(draft: "book editor")
    try editor.object(book.id).year = 1975
    try editor.save("Correct the year")
    try await context.save("Correct the year")
    XCTAssertEqual(book.year, 1975)

    book.title = "The Dispossessed: An Ambiguous Utopia"
    do {
      try await context.save("Rename a book")
    } catch SaveError.refused(let refusal) {
      for conflict in refusal.conflicts { try context.resolve(conflict, with: conflict.mine) }
    }
    XCTAssertFalse(context.hasChanges)
  }

  func testCountersAndSetsMerge() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let id = book.id
    let context = store.mainContext
    context.followsHead = false

    book.timesLent += 1
    book.marks.insert("damaged")
    try await store.write { other in
      try other.object(id).timesLent += 2
      try other.object(id).marks.insert("signed")
    }
    try await context.save()
    print(book.timesLent, book.marks.sorted())  // 3 ["damaged", "signed"]
    XCTAssertEqual(book.timesLent, 3)
    XCTAssertEqual(book.marks, ["damaged", "signed"])
  }

  func testOneHandlerShowsEveryRefusal() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let context = store.mainContext
    let position = store.log.head
    let editor = context.makeChild()
    try editor.object(book.id).title = "Mine"
    book.title = "Theirs"

    func show(_ refusal: SaveRefusal) {
      for conflict in refusal.conflicts { print("conflict:", conflict) }
      for violation in refusal.violations { print("rule:", violation.message) }
      for value in refusal.invalidValues { print("value:", value) }
    }

    do {
      try editor.save()
      try context.revert(transactionAt: position)
    } catch SaveError.refused(let refusal), RevertError.refused(let refusal) {
      show(refusal)
    }
    XCTAssertTrue(editor.hasChanges)
    XCTAssertEqual(book.title, "Theirs")
  }

  func testErrorsSayWhatHappenedAndWhatToDo() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let context = store.mainContext
    context.delete(book)
    try await context.save()
    var told = ""
    do {
      _ = try context.object(book.id)
    } catch LookupError.notFound(let id) {
      print("\(id) is gone")
      told = id.entity
    } catch let error as any RepriseError {
      print(error)
    }
    XCTAssertEqual(told, "Book")
    XCTAssertNil(context.find(book.id))
  }
}
#endif
