#if Macros
import Foundation
import Reprise
import RepriseDynamic
import XCTest

/// The program of the article "Inspecting a store".
@MainActor final class InspectingAStoreTests: XCTestCase {
  private let path = NSTemporaryDirectory() + "reprise-inspected-\(UUID().uuidString)"

  override func tearDown() async throws { try FileManager.default.removeItem(atPath: path) }

  private var printed: [String] = []

  private func print(_ value: PropertyValue) { printed.append("\(value)") }

  func testAToolReadsTitles() async throws {
    let program = try await Store.open(
      path, for: Book.self, Author.self, Genre.self, ReadingList.self, Loan.self)
    program.mainContext.insert(Book("The Dispossessed", year: 1974))
    try await program.mainContext.save()
    try await program.close()

    let store = try await Store.open(inspecting: path)
    for book in try store.mainContext.fetch(store.entity(named: "Book")) {
      print(try book["title"])
    }
    XCTAssertEqual(printed, ["\"The Dispossessed\""])
    try await store.close()
  }

  private func print(_ id: String, _ owner: String, _ preview: [DraftPreview]) {
    printed.append("\(id) \(owner) \(preview.map(\.kind))")
  }

  func testAToolReadsDrafts() async throws {
    let program = try await Store.open(
      path, for: Book.self, Author.self, Genre.self, ReadingList.self, Loan.self)
    try RootContext(program, draft: "editor").insert(Book("The Dispossessed", year: 1974))
    try await program.close()

    let store = try await Store.open(inspecting: path)
    for draft in try store.drafts.all() {
      let owner = draft.process.map { "process \($0)" } ?? "no process"
      print(draft.id, owner, draft.preview)
    }
    XCTAssertEqual(printed, ["editor no process \([DraftPreview.Kind.inserted])"])
    try await store.close()
  }
}
#endif
