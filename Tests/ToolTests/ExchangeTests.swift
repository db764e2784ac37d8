import Foundation
import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseObjectModel
import RepriseTestModels
import RepriseTestTool
import RepriseTool
import XCTest

/// A store changes on its way through a file.
@MainActor
final class ExchangeTests: XCTestCase {
  private var folder: ExchangeFolder!
  private typealias Notes = ExchangeNotes

  override func setUp() async throws { folder = try ExchangeFolder() }

  func testAFileMakesTheSameStore() async throws {
    let counts = try await folder.run(folder.write(Notes.sample, to: "a.jsonl"), into: "a")
    XCTAssertEqual(counts?.inserted, 4)
    XCTAssertEqual(counts?.transactions, 1)
    let export = try await folder.export("a")
    XCTAssertEqual(export, Notes.sample)
    let problems = try await folder.problems("a")
    XCTAssertEqual(problems, [])
    // Once more, into the store.
    let again = try await folder.run(folder.path("a.jsonl"), into: "a")
    XCTAssertEqual(again?.unchanged, 4)
    XCTAssertEqual(again?.transactions, 0)
  }

  func testATableHasNilAndEmptyTexts() async throws {
    try await folder.run(folder.write(Notes.sample, to: "a.jsonl"), into: "a")
    let tables = try await folder.tables("a")
    let (one, two) = (Notes.uuid(1), Notes.uuid(2))
    XCTAssertEqual(
      tables["Note.csv"],
      "id,body,changed,data,folder,isDone,picture,ratio,size,stars,title,token,tags\r\n"
        + #"\#(one),"",2026-11-20T18:30:00.25Z,AP8=,\#(one),true,\#(Notes.abc),nan:7ff8000000000123,"#
        + "18446744073709551615,-9223372036854775808,\"a\u{0}\u{202E}\n\"\"té\"\"\",\(Notes.uuid(7)),\(one)\r\n"
        + "\(two),,,,\(one),false,,-0.0,0,,=1+1,\(Notes.uuid(0)),\r\n")
    XCTAssertEqual(tables["Folder.csv"], "id,name,notes\r\n\(one),Home,\(two) \(one)\r\n")
    XCTAssertEqual(tables["Tag.csv"], "id,name\r\n\(one),red\r\n")
  }

  func testAChangedValueChangesOneLine() async throws {
    try await folder.run(folder.write(Notes.sample, to: "a.jsonl"), into: "a")
    let store = try await Store.open(inspecting: folder.path("a"), editing: true)
    let context = RootContext(store)
    try context.fetch(store.entity(named: "Tag"))[0].set("name", to: .string("blue"))
    try await context.save()
    try await store.close()
    let export = try await folder.export("a")
    XCTAssertEqual(export, Notes.sample.replacing("\"red\"", with: "\"blue\""))
    let before = try await folder.export("a") { $0.position = 2 }
    XCTAssertEqual(before, Notes.sample)
  }

  func testAPartOfAStoreIsExported() async throws {
    try await folder.run(folder.write(Notes.sample, to: "a.jsonl"), into: "a")
    let lines = Notes.sample.split(separator: "\n", omittingEmptySubsequences: false)
    let tags = try await folder.export("a") { $0.entity = "tag" }
    XCTAssertEqual(tags, ([lines[0]] + lines[5...]).joined(separator: "\n"))
    let fetched = try await folder.export("a") { $0.fetch = try FetchText("Note where stars == nil @2") }
    XCTAssertEqual(fetched, ([lines[0], lines[4]] + lines[6...]).joined(separator: "\n"))
    do {
      _ = try await folder.export("a") {
        $0.fetch = try FetchText("Note")
        $0.entity = "Tag"
      }
      XCTFail("An export of nothing looks complete.")
    } catch {
      XCTAssertEqual(
        "\(error)", "The fetch finds objects of Note, and '--entity' names Tag. Leave out '--entity'.")
    }
  }

  func testAnImportUpdatesAndInserts() async throws {
    try await folder.run(folder.write(Notes.sample, to: "a.jsonl"), into: "a")
    // A missing property keeps its value. The order of the lines does not matter.
    let change = Notes.file(
      #"{"object":"\#(Notes.note(3))","values":{"folder":"Folder/\#(Notes.uuid(2))","title":"new"}}"#,
      #"{"object":"\#(Notes.note(2))","values":{"stars":5},"members":{"tags":["Tag/\#(Notes.uuid(1))"]}}"#,
      #"{"object":"Folder/\#(Notes.uuid(2))","values":{"name":"Work"}}"#,
      #"{"object":"Tag/\#(Notes.uuid(1))","values":{"name":"red"}}"#)
    let file = try folder.write(change, to: "b.jsonl")
    let trial = try await folder.run(file, into: "a") { $0.isTrial = true }
    let unchanged = try await folder.export("a")
    XCTAssertEqual(unchanged, Notes.sample)
    var asked: ImportCounts?
    let refused = try await folder.run(file, into: "a") {
      $0.confirm = { counts in
        asked = counts
        return false
      }
    }
    XCTAssertNil(refused)
    let counts = try await folder.run(file, into: "a") { $0.author = "ada" }
    XCTAssertEqual(counts?.inserted, 2)
    XCTAssertEqual(counts?.updated, 1)
    XCTAssertEqual(counts?.unchanged, 1)
    XCTAssertEqual(trial, asked)
    let export = try await folder.export("a")
    XCTAssertTrue(export.contains(#""stars":5,"title":"=1+1""#), export)
    XCTAssertTrue(export.contains(#""notes":["\#(Notes.note(3))"]"#), export)
    try await folder.inspect("a") { store in
      let last = try store.log.transaction(at: store.log.head)
      XCTAssertEqual(last?.author, "ada")
      XCTAssertEqual(last?.name, "Import b.jsonl")
    }
  }

  func testATrialMakesNoStore() async throws {
    let counts = try await folder.run(folder.write(Notes.sample, to: "a.jsonl"), into: "a") { $0.isTrial = true }
    XCTAssertEqual(counts?.inserted, 4)
    XCTAssertFalse(FileManager.default.fileExists(atPath: folder.path("a")))
  }

  func testAFileOfSeveralTransactionsIsComplete() async throws {
    let file = try folder.write(Notes.sample, to: "a.jsonl")
    let counts = try await folder.run(file, into: "a") { $0.batchSize = 1 }
    var lines: [String] = []
    try ImportText(XCTUnwrap(counts), isTrial: false).write(to: Output(.text(Style())) { lines.append($0) })
    XCTAssertEqual(
      lines, ["Inserted 4 and updated 0 objects. 0 are equal already.", "The import has 6 transactions."])
    let export = try await folder.export("a")
    XCTAssertEqual(export, Notes.sample)
  }

  func testLongTextsFillTheMemory() async throws {
    let file = try folder.write(Notes.sample, to: "a.jsonl")
    // Each of the four objects has a text, and the relationships follow.
    let counts = try await folder.run(file, into: "a") { $0.batchBytes = 1 }
    XCTAssertEqual(counts?.transactions, 5)
    let export = try await folder.export("a")
    XCTAssertEqual(export, Notes.sample)
  }

  func testOthersReadAnExport() throws {
    func permissions(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
    }
    let file = try ExportFile(folder.path("a.jsonl"))
    try file.write("new")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    XCTAssertEqual(try permissions(XCTUnwrap(names.first { $0.hasSuffix(".part") })), 0o600)
    try file.finish()
    XCTAssertEqual(try permissions("a.jsonl"), 0o600)
    XCTAssertEqual(try String(contentsOfFile: folder.path("a.jsonl"), encoding: .utf8), "new")
    let tables = try ExportFolder(folder.path("deep/tables"))
    try tables.add("A.csv") { try $0.write("id") }
    try tables.finish()
    XCTAssertEqual(try permissions("deep/tables"), 0o700)
    XCTAssertEqual(try permissions("deep/tables/A.csv"), 0o600)
  }

  func testAFailedExportLeavesAPart() throws {
    struct Failure: Error {}
    func export(_ name: String) throws {
      let tables = try ExportFolder(folder.path(name))
      try tables.add("A.csv") { try $0.write("id") }
      try tables.add("B.csv") { _ in throw Failure() }
    }
    XCTAssertThrowsError(try export("tables"))
    XCTAssertFalse(FileManager.default.fileExists(atPath: folder.path("tables")))
    try FileManager.default.createDirectory(atPath: folder.path("mine"), withIntermediateDirectories: false)
    XCTAssertThrowsError(try export("mine"))
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path("mine")), [])
  }

  func testAFileInPlaceOfAStoreIsRemoved() async throws {
    let (file, other) = (try folder.write(Notes.sample, to: "a.jsonl"), try folder.write(Notes.sample, to: "b.jsonl"))
    await assertThrows { _ = try await self.folder.run(other, into: "a.jsonl") }
    XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), Notes.sample)
  }

  private func assertThrows(_ body: () async throws -> Void, line: UInt = #line) async {
    do {
      try await body()
      XCTFail("It threw nothing.", line: line)
    } catch {}
  }

  func testAPieceOfABlobIsEndless() async throws {
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    for (digest, offset, bytes) in [("\(empty):0", "0", ""), ("\(empty):4", "9223372036854775807", "AAAA")] {
      let line = #"{"blob":"sha256:\#(digest)","offset":\#(offset),"bytes":"\#(bytes)"}"#
      let message = try await folder.message(Notes.file(line), into: "new", file: "a.jsonl") { _ in }
      XCTAssertEqual(
        message,
        "a.jsonl, line 2: a piece of a blob has 'blob', 'offset', and 'bytes' in base64. Correct the line, or export "
          + "again.")
    }
  }

  func testOnlyOneEntityIsImported() async throws {
    let counts = try await folder.run(folder.write(Notes.sample, to: "a.jsonl"), into: "a") { $0.entity = "Tag" }
    XCTAssertEqual(counts?.inserted, 1)
  }

  func testADeletedObjectReturns() async throws {
    try await folder.run(folder.write(Notes.sample, to: "a.jsonl"), into: "a")
    let store = try await Store.open(inspecting: folder.path("a"), editing: true)
    let context = RootContext(store)
    for object in try context.fetch(store.entity(named: "Folder")) { context.delete(object) }
    try await context.save()
    try await store.close()
    let counts = try await folder.run(folder.path("a.jsonl"), into: "a")
    XCTAssertEqual(counts?.inserted, 3)
    let export = try await folder.export("a")
    XCTAssertEqual(export, Notes.sample)
    let problems = try await folder.problems("a")
    XCTAssertEqual(problems, [])
  }

  func testDerivedAttributesComeFromTheFile() async throws {
    let guests = try await ToolStore()
    try await guests.store.close()
    defer { withExtendedLifetime(guests) {} }
    try FileManager.default.copyItem(atPath: guests.path, toPath: folder.path("guests"))
    let text = try await folder.export("guests")
    let counts = try await folder.run(folder.write(text, to: "a.jsonl"), into: "a")
    XCTAssertEqual(counts?.derived, ["Guest"])
    let export = try await folder.export("a")
    XCTAssertEqual(export, text)
    // The program computes it.
    let changed = text.replacing(#""fullName":"Eve Jones""#, with: #""fullName":"Eve Who""#)
    try await folder.run(folder.write(changed, to: "b.jsonl"), into: "a")
    let program = try Store.openNow(folder.path("a"), for: Schema(Guest.self, Hotel.self), StoreOptions())
    XCTAssertEqual(try RootContext(program).count(Fetch<Guest> { $0.fullName == "Eve Jones" }), 1)
    XCTAssertEqual(try StoreMaintenance.verifyNow(program).problems, [])
    try await program.close()
    var lines: [String] = []
    try ImportText(XCTUnwrap(counts), isTrial: false).write(to: Output(.text(Style())) { lines.append($0) })
    try ImportText(XCTUnwrap(counts), isTrial: true).write(to: Output(.json) { lines.append($0) })
    XCTAssertEqual(
      lines,
      [
        "Inserted 2 and updated 0 objects. 0 are equal already.",
        "Derived attributes of Guest have the values of the file, until a program computes them again.",
        #"{"blobs":0,"deleted":0,"derived":["Guest"],"inserted":2,"transactions":1,"unchanged":0,"updated":0}"#,
      ])
  }

  func testATableMayComeFromOtherPrograms() async throws {
    try await folder.run(folder.write(Notes.sample, to: "a.jsonl"), into: "a")
    let (one, two) = (Notes.uuid(1), Notes.uuid(2))
    let table =
      "\u{FEFF}id,\"title\",body,stars\n\(one.uppercased()),\"a \"\"b\"\",\r\nc\",\"\",7\n\n\(two),x,,\r\n"
    let counts = try await folder.run(folder.write(table, to: "Note.csv"), into: "a")
    XCTAssertEqual(counts?.updated, 2)
    let export = try await folder.export("a")
    XCTAssertTrue(export.contains(#""stars":7,"title":"a \"b\",\r\nc""#), export)
    XCTAssertTrue(export.contains(#""body":null"#), export)
    XCTAssertTrue(export.contains(#""body":"""#), export)
  }

  func testALongLineIsRead() async throws {
    let text = String(repeating: "long ", count: 400_000)
    let file = Notes.file(#"{"object":"\#(Notes.note(1))","values":{"body":"\#(text)"}}"#)
    try await folder.run(folder.write(file, to: "a.jsonl"), into: "a")
    try await folder.inspect("a") { store in
      XCTAssertEqual(try RootContext(store).fetch(store.entity(named: "Note"))[0]["body"], .string(text))
    }
  }

  func testALargeBlobComesInPieces() async throws {
    try await folder.run(folder.write(Notes.sample, to: "a.jsonl"), into: "a")
    let bytes = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let store = try await Store.open(inspecting: folder.path("a"), editing: true)
    let blob = try await Blob(bytes, in: store)
    let context = RootContext(store)
    try context.fetch(store.entity(named: "Note"))[1].set("picture", to: .blob(blob))
    try await context.save()
    try await store.close()
    let text = try await folder.export("a")
    XCTAssertEqual(text.split(separator: "\n").count { $0.hasPrefix(#"{"blob":"#) }, 4)
    try await folder.run(folder.write(text, to: "b.jsonl"), into: "b")
    let export = try await folder.export("b")
    XCTAssertEqual(export, text)
  }
}
