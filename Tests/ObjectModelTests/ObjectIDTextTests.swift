import RepriseObjectModel
import RepriseTestModels
import XCTest

/// IDs from and to text, as URLs and command lines have them.
final class ObjectIDTextTests: XCTestCase {
  func testAnIDIsReadFromWhatItIsWrittenAs() {
    let id = Todo("a").id
    XCTAssertEqual(Todo.ID(id.description), id)
    XCTAssertEqual(Todo.ID(id.uuid.description), id)
    XCTAssertEqual(Todo.ID("\(id)".uppercased().replacing("TODO", with: "Todo")), id)
    XCTAssertEqual(AnyObjectID(id.description), id.any)
    XCTAssertEqual(Folder.ID(id.uuid.description)?.uuid, id.uuid)
    func read<ID: LosslessStringConvertible>(_ text: String, as: ID.Type) -> ID? { ID(text) }
    XCTAssertEqual(read("\(id)", as: Todo.ID.self), id)
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
