import XCTest

final class EditTypeTests: XCTestCase {
  func testOnlyKnownTypesMayHoldAnEdit() throws {
    let files = try EditTypes.folders.flatMap { try Checkout.files(under: "Sources/\($0)") }
    expectNone(files.flatMap(EditTypes.breaches))
    let found = Set(files.flatMap { EditTypes.found(in: $0).keys })
    XCTAssertEqual(EditTypes.known.subtracting(found), [], "take these out of EditTypes.known")
  }

  private func found(_ text: String) -> [String: Int] {
    EditTypes.found(in: SourceFile(path: "Sources/Journal/Drafts/A.swift", text: text))
  }

  func testATypeThatMayHoldAnEditIsFoundWhateverItsForm() {
    for text in [
      "struct A {\n  let old: Int\n  let new: Int\n}",
      "package enum A: Sendable {\n  case set(old: [UInt8], new: [UInt8])\n}",
      "final class A {\n  private var changes: [Change]\n}", "typealias A = (before: Int, after: Int)",
      "enum A {\n  case part(\n    removed: Int, inserted: Int)\n}", "struct A {\n  var last: ObjectChange?\n}",
      "struct A {\n  let body: ArraySlice<UInt8>\n}", "struct A {\n  let existed: Bool\n  var exists: Bool\n}",
      "struct A {\n  package let values: [String: PropertyValue]?\n}", "enum A {\n  case create\n  case delete\n}",
      "struct A {\n  let changes: [UncommittedObject]?\n}",
    ] {
      XCTAssertEqual(Array(found(text).keys), ["A"], text)
    }
    XCTAssertEqual(found("extension A {\n  struct B {\n    let splice: Splice\n  }\n}"), ["A.B": 3])
    let file = SourceFile(path: "Sources/EventStore/A.swift", text: "struct A {\n  let change: Change\n}")
    XCTAssertTrue(EditTypes.breaches(file).description.contains("Sources/EventStore/A.swift:2"))
  }

  func testATypeThatHoldsNoEditIsNotTakenForOne() {
    for text in [
      "struct A {\n  let old: Int\n}\nstruct B {\n  let new: Int\n}", "struct A {\n  let kind: Change.Kind\n}",
      "struct A {\n  var change: Change { last }\n  var other: Change {\n    last\n  }\n}",
      "enum A {\n  case before\n  case after\n}", "struct A {\n  func add(_ change: Change) {}\n}",
      "struct A {\n  struct Change {}\n  let changes: [Change]\n}", "func a() {\n  let change: Change\n}",
      "struct A {\n  let place: Int // of a Change\n}", "struct A {\n  static let none: Change\n}",
      "struct A {\n  let body: () -> Void\n}", "struct A {\n  let names: [String: Int]\n}",
    ] {
      XCTAssertEqual(found(text), [:], text)
    }
  }
}
