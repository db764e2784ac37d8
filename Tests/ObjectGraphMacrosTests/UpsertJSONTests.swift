import Foundation
import Reprise
import XCTest

#if Macros
@Model private final class Contact {
  @Attribute(.unique) var email: String?
  var name: String = ""
  var age: Int? = nil
  var phones: ToMany<Phone>
  init() {}
}

@Model private final class Shelf {
  #Unique<Shelf>([\.aisle, \.level], nilsAreEqual: true)
  var aisle: String?
  var level: Int?
  var books: Int = 0
}

@Model private final class Phone {
  var number: String = ""
  @Relationship(inverse: \Contact.phones) var owner: Contact?
}

/// Objects that other programs write, found by what is unique.
final class UpsertJSONTests: XCTestCase {
  private func withContext(_ body: (RootContext) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "reprise-upsert-\(UniqueID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Contact.self, Phone.self, Shelf.self)
    try await body(RootContext(store))
    try await store.close()
  }

  func testAnObjectIsFoundByItsKeyAndChanged() async throws {
    try await withContext { context in
      let json = Data(#"{"email": "ada@example.org", "name": "Ada", "age": 36}"#.utf8)
      let (ada, outcome) = try context.upsert(Contact.self, by: \.email, json: json)
      XCTAssertEqual(outcome, .inserted)
      XCTAssertEqual(try context.upsert(Contact.self, by: \.email, json: json).outcome, .unchanged)
      context.undo()
      XCTAssertEqual(try context.count(Fetch<Contact>()), 0, "nothing was a step of its own")
      context.redo()
      try await context.save()
      let other = Data(#"{"email": "ada@example.org", "name": "Countess"}"#.utf8)
      let again = try context.upsert(Contact.self, by: \.email, json: other)
      XCTAssertTrue(again.object === ada)
      XCTAssertEqual(again.outcome, .updated)
      XCTAssertEqual([ada.name, ada.age.map { "\($0)" }], ["Countess", "36"])
      context.undo()
      XCTAssertEqual(ada.name, "Ada")
    }
  }

  func testAnObjectIsFoundByANullInItsKey() async throws {
    try await withContext { context in
      let rows = [
        #""b", "level": null, "books": 1"#, #"null, "level": null, "books": 2"#, #"null, "level": 1, "books": 3"#,
      ]
      let list = Data("[\(rows.map { #"{"aisle": \#($0)}"# }.joined(separator: ", "))]".utf8)
      XCTAssertEqual(try context.upsertAll(Shelf.self, by: \.aisle, \.level, json: list).inserted, 3)
      try await context.save()
      let again = try context.upsertAll(Shelf.self, by: \.aisle, \.level, json: list)
      XCTAssertEqual([again.inserted, again.unchanged], [0, 3])
      let more = Data(#"{"aisle": null, "level": null, "books": 9}"#.utf8)
      let (shelf, outcome) = try context.upsert(Shelf.self, by: \.aisle, \.level, json: more)
      XCTAssertEqual(outcome, .updated)
      XCTAssertNil(shelf.aisle)
      XCTAssertEqual(try context.count(Fetch<Shelf>()), 3)
      // A key that is left out is not a nil.
      XCTAssertThrowsError(
        try context.upsert(Shelf.self, by: \.aisle, \.level, json: Data(#"{"aisle": null, "books": 9}"#.utf8))
      ) {
        XCTAssertEqual(
          $0 as? ExchangeError,
          .wrongType(path: "level", reason: "the key ('aisle', 'level') needs a value for it"))
      }
    }
  }

  func testAListIsTakenAsAWholeOrNotAtAll() async throws {
    try await withContext { context in
      context.insert(Contact()).email = "b"
      try await context.save()
      let list = [("a", "A"), ("b", "B"), ("a", "AA"), ("b", "B")]
        .map { #"{"email": "\#($0.0)", "name": "\#($0.1)"}"# }.joined(separator: ", ")
      let counts = try context.upsertAll(Contact.self, by: \.email, json: Data("[\(list)]".utf8))
      XCTAssertEqual([counts.inserted, counts.updated, counts.unchanged], [1, 2, 1])
      XCTAssertEqual(
        try context.fetch(Fetch<Contact>().sorted { $0.email }).map(\.name), ["AA", "B"])
      context.undo()
      XCTAssertEqual(try context.fetch(Fetch<Contact>()).map(\.name), [""])
      let broken = #"[{"email": "c", "name": "C"}, {"name": "D"}]"#
      XCTAssertThrowsError(try context.upsertAll(Contact.self, by: \.email, json: Data(broken.utf8))) {
        XCTAssertEqual(
          $0 as? ExchangeError,
          .wrongType(path: "[1].email", reason: "the key ('email') needs a value for it"))
      }
      // A new object needs what is not optional.
      let short = #"[{"email": "b", "age": 1}, {"email": "c"}]"#
      XCTAssertThrowsError(try context.upsertAll(Contact.self, by: \.email, json: Data(short.utf8)))
      XCTAssertEqual(try context.fetch(Fetch<Contact>()).map(\.age), [nil])
      XCTAssertThrowsError(try context.upsert(Contact.self, by: \.name, json: Data(#"{"name": "A"}"#.utf8))) {
        XCTAssertEqual($0 as? UpdateError, .notUnique(entity: "Contact", properties: ["name"]))
      }
    }
  }

  func testAnIDOfAnotherObjectThanTheKeysIsRefused() async throws {
    try await withContext { context in
      let (a, b) = (context.insert(Contact()), context.insert(Contact()))
      (a.email, b.email) = ("a", "b")
      try await context.save()
      let json = Data(#"{"id": "\#(a.id)", "email": "b", "name": "x"}"#.utf8)
      XCTAssertThrowsError(try context.upsert(Contact.self, by: \.email, json: json)) {
        XCTAssertEqual(
          $0 as? ExchangeError,
          .wrongType(path: "id", reason: "it is \(a.id), but \(b.id) already has the unique values of the data"))
      }
      let renamed = Data(#"{"id": "\#(a.id)", "email": "c", "name": "x"}"#.utf8)
      let (object, outcome) = try context.upsert(Contact.self, by: \.email, json: renamed)
      XCTAssertTrue(object === a)
      XCTAssertEqual(outcome, .updated)
      XCTAssertEqual(a.email, "c")
    }
  }

  func testWhatIsNestedComesAlong() async throws {
    try await withContext { context in
      let selection = PropertySelection.attributes.nesting("phones")
      let json = Data(#"{"email": "a", "name": "A", "age": null, "phones": [{"number": "1"}, {"number": "2"}]}"#.utf8)
      let (contact, _) = try context.upsert(Contact.self, by: \.email, json: json, properties: selection)
      XCTAssertEqual(Set(contact.phones.map(\.number)), ["1", "2"])
      let fewer = Data(#"{"email": "a", "phones": []}"#.utf8)
      XCTAssertEqual(
        try context.upsert(Contact.self, by: \.email, json: fewer, properties: selection).outcome, .updated)
      XCTAssertTrue(contact.phones.isEmpty)
    }
  }
}
#endif
