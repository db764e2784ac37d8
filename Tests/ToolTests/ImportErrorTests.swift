import Foundation
import RepriseCore
import RepriseTool
import XCTest

/// A mistake in a file is not found, or its message does not name the place and the next step.
@MainActor
final class ImportErrorTests: XCTestCase {
  private var folder: ExchangeFolder!
  private typealias Notes = ExchangeNotes

  override func setUp() async throws {
    folder = try ExchangeFolder()
    try await folder.run(folder.write(Notes.sample, to: "sample.jsonl"), into: "a")
  }

  /// Checks the message, and that nothing was saved.
  private func check(
    _ text: String, _ message: String, file: String = "notes.jsonl", isNew: Bool = true, line: UInt = #line,
    _ change: (inout ImportRun) -> Void = { _ in }
  ) async throws {
    let found = try await folder.message(text, into: "a", file: file, change)
    XCTAssertEqual(found, message, line: line)
    let export = try await folder.export("a")
    XCTAssertEqual(export, Notes.sample, line: line)
    if isNew, file.hasSuffix(".jsonl") {
      _ = try await folder.message(text, into: "new", file: file, change)
      XCTAssertFalse(FileManager.default.fileExists(atPath: folder.path("new")), line: line)
    }
  }

  private func checkLine(_ json: String, _ message: String, line: UInt = #line) async throws {
    try await check(Notes.file(json), "notes.jsonl, line 2" + message, line: line)
  }

  private func checkValue(_ json: String, _ message: String, line: UInt = #line) async throws {
    try await checkLine(
      #"{"object":"\#(Notes.note(1))","values":{\#(json)}}"#, ": \(message) Correct the value.", line: line)
  }

  func testAWrongValueIsNamed() async throws {
    try await checkValue(#""stars":"many""#, #"'stars' must be an integer, or null, but it is "many"."#)
    try await checkValue(#""stars":1.5"#, "'stars' must be an integer, or null, but it is 1.5.")
    try await checkValue(
      #""stars":9223372036854775808"#,
      "'stars' must be an integer of 64 bits, or null, but it is 9223372036854775808.")
    try await checkValue(#""size":-1"#, "'size' must be an integer from 0 to 18446744073709551615, but it is -1.")
    try await checkValue(#""title":null"#, "'title' must be a text, but it is null.")
    try await checkValue(#""isDone":1"#, "'isDone' must be true or false, but it is 1.")
    try await checkValue(#""ratio":1e999"#, "'ratio' must be a number, but it is 1e999.")
    try await checkValue(#""data":"?""#, #"'data' must be bytes in base64, or null, but it is "?"."#)
    try await checkValue(
      #""changed":"soon""#,
      #"""
      'changed' must be a date such as "2026-11-20T18:30:00Z", or seconds since 2001, or null, but it is "soon".
      """#)
    try await checkValue(#""token":"x""#, #"'token' must be a UUID, but it is "x"."#)
    try await checkValue(
      #""picture":"sha256:1:1""#,
      #"'picture' must be a blob such as "sha256:…:1024", or null, but it is "sha256:1:1"."#)
    try await checkValue(
      #""folder":"Tag/\#(Notes.uuid(1))""#,
      #"'folder' must be an object of Folder, or null, but it is "Tag/\#(Notes.uuid(1))"."#)
    try await checkValue(#""body":["\u001b[2J"]"#, #"'body' must be a text, or null, but it is ["\u001b[2J"]."#)
    for (json, found) in [("1", "1"), (#"["x"]"#, #""x""#)] {
      try await checkLine(
        #"{"object":"\#(Notes.note(1))","members":{"tags":\#(json)}}"#,
        ": 'tags' must be a list of objects of Tag, but it is \(found). Correct the value.")
    }
    try await checkLine(
      #"{"object":"\#(Notes.note(1))","members":{"tags":["Tag/\#(Notes.uuid(1))","Tag/\#(Notes.uuid(1))"]}}"#,
      """
      : 'tags' must be a list of objects of Tag without repetitions, but it is "Tag/\(Notes.uuid(1))". Correct the \
      value.
      """)
  }

  func testAnUnknownNameIsNamed() async throws {
    try await checkLine(
      #"{"object":"Ghost/\#(Notes.uuid(1))"}"#,
      """
      : the store has no entity 'Ghost'. It has: Folder, Note, Tag. Remove the line, or import into a store with this \
      entity.
      """)
    try await checkLine(
      #"{"object":"Tag/\#(Notes.uuid(1))","values":{"nome":1}}"#,
      ": Tag has no property 'nome'. It has: name. Remove the value, or correct the name.")
    try await checkLine(
      #"{"object":"Tag/1"}"#, ": the line has no 'object' such as \"Note/UUID\". Correct the line, or export again.")
    try await checkLine(
      #"{"object":"Tag/\#(Notes.uuid(1))","value":{}}"#,
      """
      : an object has 'object', 'values' and 'members', but not 'value' here. Correct the line, or export again.
      """)
    try await check(
      Notes.sample, "The store has no entity 'Ghost'. It has: Folder, Note, Tag."
    ) { $0.entity = "Ghost" }
  }

  func testABrokenLineIsNamed() async throws {
    for (json, byte, reason) in [
      ("{", 2, "a key is missing"), (#"{"a" 1}"#, 6, "a colon is missing"), ("[1 2]", 4, "a comma or ']' is missing"),
      (#"{"a":1 "b":2}"#, 8, "a comma or '}' is missing"), (#"{"a":1,"a":2}"#, 11, "the key 'a' occurs twice"),
      ("nul", 1, "a value is missing"), ("", 1, ""), ("-", 2, "a digit is missing"),
      ("1 2", 3, "the line goes on after its value"),
      ("\"a", 3, "a text has no end"), ("\"\t\"", 2, "a text has a control character"),
      (#""\x""#, 4, "an escape is unknown"), (#""\u12""#, 6, "an escape needs four hexadecimal digits"),
      (#""\ud800""#, 8, "half of a surrogate pair is missing"),
      (String(repeating: "[", count: 99), 34, "it has more than 32 levels"),
    ] where !json.isEmpty {
      try await checkLine(json, ", byte \(byte): this is not JSON: \(reason). Correct the line, or export again.")
    }
    try await checkLine("7", ": the line has no 'object' such as \"Note/UUID\". Correct the line, or export again.")
    let bytes = Array(Notes.file("\"?\"").utf8).map { $0 == UInt8(ascii: "?") ? 0xFF : $0 }
    let file = try folder.write(Data(bytes), to: "notes.jsonl")
    do {
      try await folder.run(file, into: "a")
      XCTFail("It is no text.")
    } catch { XCTAssertEqual("\(error)", "notes.jsonl, line 2 is not UTF-8. Convert the file to UTF-8.") }
  }

  func testAFileWithoutItsEndIsRefused() async throws {
    try await check(
      Notes.sample.replacing(#"{"end":true}"#, with: ""),
      """
      notes.jsonl has no last line {"end":true}, so its end may be missing. Export again. If the file is complete, add \
      this line.
      """)
    try await check(
      Notes.sample + "{}",
      "notes.jsonl, line 8: a line follows the last line of an export. Correct the line, or export again.")
    for text in ["", "hello", "{}", String(Notes.header.dropLast())] {
      try await check(
        text,
        """
        notes.jsonl does not begin with the header of an export. Import a file of 'reprise export', or pass \
        '--format csv'.
        """)
    }
    try await check(
      Notes.sample.replacing(#""reprise-export":1"#, with: #""reprise-export":2"#),
      "notes.jsonl has version 2 of the format, and this command knows version 1. Use a newer command.")
    try await check(
      "{\"reprise-export\":1}",
      "notes.jsonl, line 1: the header cannot be used: it has no list 'entities'. Export the store again.")
  }

  func testReferencesLeadToObjects() async throws {
    try await checkLine(
      #"{"object":"\#(Notes.note(1))","values":{"folder":"Folder/\#(Notes.uuid(9))"}}"#,
      """
      : 'folder' refers to Folder/\(Notes.uuid(9)), but neither the file nor the store has this object. Add the \
      object, or remove the reference.
      """)
    let other = Notes.abc.replacing("ba", with: "bb")
    try await checkLine(
      #"{"object":"\#(Notes.note(1))","values":{"picture":"\#(other)"}}"#,
      """
      : 'picture' is \(other), but neither the file nor the store has its bytes. Import an export in JSON, which has \
      the bytes of blobs.
      """)
    for json in [#""bytes":"YWJk""#, #""bytes":"YWI=""#] {
      try await checkLine(
        #"{"blob":"\#(Notes.abc)","offset":0,\#(json)}"#,
        ": the bytes of \(Notes.abc) do not have this length and digest. Export the store again.")
    }
    try await checkLine(
      #"{"blob":"\#(Notes.abc)","offset":4,"bytes":""}"#,
      ": a piece of a blob has 'blob', 'offset', and 'bytes' in base64. Correct the line, or export again.")
  }

  func testUniqueRulesHold() async throws {
    try await check(
      Notes.file(#"{"object":"\#(Notes.note(3))","values":{"title":"=1+1"}}"#),
      """
      notes.jsonl, line 2: \(Notes.note(3)) has title "=1+1", and so has \(Notes.note(2)). The import changed nothing.
      """, isNew: false)
    let line = #"{"object":"\#(Notes.note(3))","values":{"title":"x"}}"#
    try await check(
      Notes.file(line, line),
      "notes.jsonl, line 3: \(Notes.note(3)) is in line 2 already. Remove one of the two lines.")
    // Two objects exchange their values.
    let first = #"{"object":"\#(Notes.note(1))","values":{"title":"=1+1"}}"#
    let second = #"{"object":"\#(Notes.note(2))","values":{"title":"a"}}"#
    let counts = try await folder.run(folder.write(Notes.file(first, second), to: "swap.jsonl"), into: "a")
    XCTAssertEqual(counts?.updated, 2)
    XCTAssertEqual(
      "\(ImportError.refused([], reason: "x.", saved: 7))",
      "x. 7 objects of earlier lines are in the store. Correct the file, and import it again.")
  }

  func testARefusedRowIsOfAnotherTable() async throws {
    let tables = folder.path("tables")
    try FileManager.default.createDirectory(atPath: tables, withIntermediateDirectories: false)
    _ = try folder.write("id,name\n\(Notes.uuid(5)),Work\n", to: "tables/Folder.csv")
    _ = try folder.write("id,title\n\(Notes.uuid(4)),b\n\(Notes.uuid(3)),=1+1\n", to: "tables/Note.csv")
    _ = try folder.write("id,name\n\(Notes.uuid(6)),blue\n", to: "tables/Tag.csv")
    do {
      try await folder.run(tables, into: "a")
      XCTFail("The title is taken.")
    } catch {
      XCTAssertEqual(
        "\(error)",
        "Note.csv, line 3: \(Notes.note(3)) has title \"=1+1\", and so has \(Notes.note(2)). The import changed "
          + "nothing."
      )
    }
  }

  func testAFailedSaveHasNoPlace() async throws {
    // A save has at most 100,000 changes.
    let rows = (1...100_001).map { "\(Notes.uuid($0 + 10)),x\n" }.joined()
    let message = try await folder.message("id,name\n" + rows, into: "a", file: "Tag.csv") { $0.batchSize = .max }
    XCTAssertEqual(
      message,
      """
      Tag.csv, line 2 to Tag.csv, line 100002: This save wrote nothing. It has 100001 events, and a transaction has at \
      most 100000. Save in parts. If one deletion concerns so many objects, discard the deletion and call \
      BackgroundContext.deleteAll, which saves in parts. The import changed nothing. Remove the cause, and import the \
      file again.
      """)
    let (first, last) = (ImportError.Place(file: "a/b.csv", line: 3), ImportError.Place(file: "a/c.csv", line: 4))
    XCTAssertEqual(
      "\(ImportError.unsaved(first: first, last: last, reason: "The disk is full.", saved: 7))",
      "b.csv, line 3 to c.csv, line 4: The disk is full. 7 objects of earlier lines are in the store. Remove the "
        + "cause, and import the file again.")
    XCTAssertEqual(
      "\(ImportError.unsaved(first: first, last: first, reason: "The disk is full.", saved: 0))",
      "b.csv, line 3: The disk is full. The import changed nothing. Remove the cause, and import the file again.")
  }

  func testAWrongTableIsNamed() async throws {
    let one = Notes.uuid(1)
    for (table, message) in [
      ("", "Tag.csv has no first row. Begin it with 'id' and the names of properties."),
      (
        "name\r\n",
        "Tag.csv, line 1: this is not a row of the table: the first column must have the name 'id'. Correct the row."
      ),
      (
        "id,name,name\n", "Tag.csv, line 1: this is not a row of the table: two columns have one name. Correct the row."
      ),
      (
        "id,nome\n", "Tag.csv, line 1: Tag has no property 'nome'. It has: name. Remove the value, or correct the name."
      ),
      (
        "id,name\n\(one)\n",
        "Tag.csv, line 2: this is not a row of the table: it has 1 cells, and the first row has 2. Correct the row."
      ),
      ("id,name\n7,x\n", "Tag.csv, line 2: 'id' must be a UUID, but it is \"7\". Correct the value."),
      (
        "id,name\n\(one),\"x\n\n",
        "Tag.csv, line 2: this is not a row of the table: a cell has no second quotation mark. Correct the row."
      ),
      (
        "id,name\n\(one),\"x\"y\n",
        "Tag.csv, line 2: this is not a row of the table: a quotation mark within a cell must occur twice. Correct "
          + "the row."
      ),
      (
        "id,name\n\(one),x\"\n",
        "Tag.csv, line 2: this is not a row of the table: a cell with a quotation mark needs quotation marks "
          + "around it. Correct the row."
      ),
      ("id,name\n\(one),\n", "Tag.csv, line 2: 'name' must be a text, but it is null. Correct the value."),
    ] {
      try await check(table, message, file: "Tag.csv")
    }
    try await check(
      "id\n", "x.csv has the objects of one entity, but their entity is not known. Pass it with '--entity'.",
      file: "x.csv")
    let new = folder.path("new")
    let message = try await folder.message("id\n", into: "new", file: "Tag.csv")
    XCTAssertEqual(
      message,
      """
      There is no store at \(new), and a table has no entities to make one. Import a file of 'reprise export --format \
      jsonl' first.
      """)
    do {
      try await folder.run(folder.path("none.jsonl"), into: "a")
      XCTFail("There is no file.")
    } catch { XCTAssertEqual("\(error)", "none.jsonl cannot be read. Check its path and permissions.") }
    XCTAssertEqual(
      "\(ImportError.tooLong(ImportError.Place(file: "a/b.jsonl", line: 3), limit: 7))",
      "b.jsonl, line 3 is longer than 7 bytes. Put each object on a line, or keep large values in blobs.")
    XCTAssertEqual(
      "\(ExportError.unwritable("/x/y"))",
      "/x/y cannot be written. Check that its directory exists, and that the disk has space.")
    XCTAssertThrowsError(try ExportFile("/nowhere/file"))
  }

  func testAHeaderIsChecked() async throws {
    for (entities, reason) in [
      (#"{"properties":[]}"#, "an entity has no name, or no list 'properties'"),
      (#"{"name":"A","properties":[]},{"name":"A","properties":[]}"#, "the entity 'A' occurs twice"),
      (
        #"{"name":"A","properties":[{"name":"x","kind":"int"},{"name":"x","kind":"int"}]}"#,
        "'A' has the property 'x' twice"
      ),
      (#"{"name":"A","properties":[{"name":"x"}]}"#, "a property of 'A' has no kind"),
      (#"{"name":"A","properties":[{"name":"x","kind":"float"}]}"#, "a property of 'A' has the unknown kind 'float'"),
      (#"{"name":"A","properties":[{"kind":"int"}]}"#, "a property of 'A' has no name"),
      (
        #"{"name":"A","properties":[{"name":"x","kind":"int","default":"1"}]}"#,
        "a property of 'A' has a default that is not an integer"
      ),
      (#"{"name":"A","properties":[{"name":"x","kind":"toOne"}]}"#, "a property of 'A' has no name, or no target"),
      (
        #"{"name":"A","properties":[{"name":"x","kind":"toOne","target":"A","deleteRule":"x"}]}"#,
        "a property of 'A' has an unknown delete rule"
      ),
      (
        #"{"name":"A","properties":[{"name":"x","kind":"toOne","target":"B"}]}"#,
        "a property of 'A' refers to 'B', which the header lacks"
      ),
      (
        #"{"name":"A","properties":[{"kind":"index","columns":[["x","y"]]}]}"#,
        "a property of 'A' has an unknown column or collation"
      ),
      (
        #"{"name":"A","properties":[{"kind":"words","attribute":"x"}]}"#,
        "a property of 'A' refers to 'x', which the header lacks"
      ),
    ] {
      try await check(
        #"{"reprise-export":1,"entities":[\#(entities)]}"#,
        "notes.jsonl, line 1: the header cannot be used: \(reason). Export the store again.")
    }
  }
}
