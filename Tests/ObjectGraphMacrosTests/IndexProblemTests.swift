#if Macros && canImport(SwiftSyntaxMacrosTestSupport)
import XCTest

/// Indexes over several properties that are not what the store can have, each with its diagnostic.
final class IndexProblemTests: XCTestCase {
  private func model(_ index: String) -> String {
    "@Model final class Item {\n  \(index)\n  var name: String = \"\"\n  var rank: Int = 0\n  var parts: ToMany<Part>\n"
      + "  @Transient var shown = false\n}"
  }

  private func check(_ index: String, _ message: String, file: StaticString = #filePath, line: UInt = #line) throws {
    try assertProblem(model(index), message, file: file, line: line)
  }

  func testAnIndexOfWhatIsNotStoredIsRefused() throws {
    try check(#"#Index<Item>([\.name, ¶\.shown])"#, "'shown' is not persisted, so no index can have it")
    try check(
      #"#Index<Item>([¶\.parts])"#,
      "'parts' is to-many, and this model stores no value for it: index the to-one at its other end, if there is one")
    try check(
      #"#Index<Item>([\.name, ¶\.owner?.name])"#,
      "an index can name only properties of this model, not properties of a related model")
  }

  func testAnIndexIsWrittenOut() throws {
    try check("#Index<Item>(¶columns)", #"write the properties of an index out, as in '[\.isDone, \.due]'"#)
    try check(#"#Index<Item>([\.rank, ¶path])"#, #"name a property of an index by its key path, as in '\.isDone'"#)
    try check("#Index<Item>(¶[])", "an index needs at least one property")
    let many = Array(repeating: #"\.name"#, count: 17).joined(separator: ", ")
    try check("#Index<Item>(¶[\(many)])", "an index has 16 properties at most")
    try check("¶#Index<Item>()", #"name the properties of the index, as in '#Index<Item>([\.isDone, \.due])'"#)
  }

  func testAnIndexHasEachPropertyOnceAndIsThereOnce() throws {
    try check(#"#Index<Item>([\.name, \.rank, ¶\.name])"#, "'name' is in this index already: remove it here")
    try check(
      #"#Index<Item>([\.name], ¶[\.name])"#, "there is an index over these properties already: remove this one")
    XCTAssertEqual(
      try Misuse(model(#"#Index<Item>([\.name, \.rank], [\Item.rank, \Item.name])"#)).diagnostics.map(\.message), [])
  }

  func testEqualNilsAreSaidByALiteral() throws {
    let message = "write 'true' or 'false' here: a macro cannot read the value of a variable"
    try check(#"#Unique<Item>([\.name, \.rank], nilsAreEqual: ¶flag)"#, message)
    try check(#"#Unique<Item>([\.name], [\.rank], nilsAreEqual: ¶!true)"#, message)
    try check(
      "¶#Unique<Item>(nilsAreEqual: true)",
      #"name the properties of the index, as in '#Unique<Item>([\.isDone, \.due])'"#
    )
    try check(
      #"#Unique<Item>([\.name, ¶\.shown], nilsAreEqual: true)"#, "'shown' is not persisted, so no index can have it")
    for value in ["true", "false"] {
      XCTAssertEqual(
        try Misuse(model("#Unique<Item>([\\.name, \\.rank], nilsAreEqual: \(value))")).diagnostics.map(\.message), [])
    }
  }

  func testHistoryIsKeptByALiteral() throws {
    let message = "write 'true' or 'false' here: a macro cannot read the value of a variable"
    try check(#"#Index<Item>([\.name, \.rank], keepsHistory: ¶flag)"#, message)
    try check(#"#Unique<Item>([\.name], nilsAreEqual: true, keepsHistory: ¶!false)"#, message)
    try check(
      "¶#Index<Item>(keepsHistory: true)", #"name the properties of the index, as in '#Index<Item>([\.isDone, \.due])'"#
    )
    for macro in ["Index", "Unique"] {
      for value in ["true", "false"] {
        let index = "#\(macro)<Item>([\\.name, \\.rank], [\\.rank], keepsHistory: \(value))"
        XCTAssertEqual(try Misuse(model(index)).diagnostics.map(\.message), [])
      }
    }
  }

  func testWhatIsUniqueIsStoredAndDeclaredOnce() throws {
    try check(
      "#Unique<Item>([\\.name, \\.rank])\n  #Unique<Item>(¶[\\.name, \\.rank], nilsAreEqual: true)",
      "there is an index over these properties already: remove this one")
    try check(
      #"#Unique<Item>([¶\.parts])"#,
      "'parts' is to-many, and this model stores no value for it: index the to-one at its other end, if there is one")
    try check("¶#Unique<Item>()", #"name the properties of the index, as in '#Unique<Item>([\.isDone, \.due])'"#)
    try check(
      "#Index<Item>([\\.name, \\.rank])\n  #Unique<Item>(¶[\\.name, \\.rank])",
      "there is an index over these properties already: remove this one")
    try check(
      "@Attribute(.unique) var code: Int = 0\n  #Unique<Item>(¶[\\.code])",
      "there is an index over these properties already: remove this one")
  }
}
#endif
