import Foundation
import RepriseObjectModel
import RepriseTestModels
import XCTest

/// IDs from and to text, as URLs and command lines have them.
final class ObjectIDTextTests: XCTestCase {
  func testAnIDIsReadFromWhatItIsWrittenAs() {
    let id = Todo("a").id
    XCTAssertEqual(Todo.ID(id.description), id)
    XCTAssertEqual(Todo.ID(id.uuid.description), id)
    XCTAssertEqual(AnyObjectID(id.description), id.any)
    XCTAssertEqual(Folder.ID(id.uuid.description)?.uuid, id.uuid)
    func read<ID: LosslessStringConvertible>(_ text: String, as: ID.Type) -> ID? { ID(text) }
    XCTAssertEqual(read("\(id)", as: Todo.ID.self), id)
  }

  /// Two texts of one object would be two keys of a cache, and two addresses of a page.
  func testAnObjectHasOneSpelling() throws {
    let uuid = try XCTUnwrap(UniqueID("01890a5d-ac96-774b-bcce-b302099a8057"))
    let id = try XCTUnwrap(Todo.ID("Todo/\(uuid)"))
    let upper = uuid.description.uppercased()
    XCTAssertNil(Todo.ID(upper))
    XCTAssertNil(Todo.ID("Todo/\(upper)"))
    XCTAssertNil(AnyObjectID("Todo/\(upper)"))
    XCTAssertThrowsError(try JSONDecoder().decode(Todo.ID.self, from: Data("\"Todo/\(upper)\"".utf8)))
    // A UUID is a value, which other systems write in upper case.
    XCTAssertEqual(UniqueID(upper), uuid)
    XCTAssertEqual(Todo.ID(id.description), id)
  }

  func testOtherTextsAreNoIDs() {
    let id = Todo("a").id
    for text in ["", "Todo", "Todo/", "Todo/1", "/\(id.uuid)", "Folder/\(id.uuid)", "todo/\(id.uuid)", "Todo/\(id)"] {
      XCTAssertNil(Todo.ID(text), text)
    }
    XCTAssertNil(Todo.ID("\(id) "))
    XCTAssertNil(AnyObjectID(id.uuid.description))
  }
}
