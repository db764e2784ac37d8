import Foundation
import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseObjectModel
import RepriseTestTool
import RepriseTool

/// A folder of stores and exports, gone with the test.
@MainActor
final class ExchangeFolder {
  let path = NSTemporaryDirectory() + "reprise-exchange-\(UUID().uuidString)"

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(_ name: String) -> String { path + "/" + name }

  func write(_ text: String, to name: String) throws -> String { try write(Data(text.utf8), to: name) }

  func write(_ data: Data, to name: String) throws -> String {
    try data.write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path(name)) }

  /// Runs `body` with a store as a tool opens it.
  func inspect<Result>(_ name: String, _ body: @MainActor (Store) async throws -> Result) async throws -> Result {
    let store = try await Store.open(inspecting: path(name))
    do {
      let result = try await body(store)
      try await store.close()
      return result
    } catch {
      try? await store.close()
      throw error
    }
  }

  /// The export of a store in JSON lines.
  func export(_ name: String, _ change: (inout StoreExport) throws -> Void = { _ in }) async throws -> String {
    try await inspect(name) { store in
      var export = StoreExport()
      try change(&export)
      var text = ""
      try await export.writeJSON(store) { text += $0 }
      return text
    }
  }

  /// The tables of a store, by the name of the file.
  func tables(_ name: String) async throws -> [String: String] {
    try await inspect(name) { store in
      var tables: [String: String] = [:]
      for entity in store.entities {
        var text = ""
        try StoreExport().writeCSV(store, entity) { text += $0 }
        tables[ExportFile.name(of: entity, .csv)] = text
      }
      return tables
    }
  }

  @discardableResult
  func run(
    _ file: String, into name: String, _ change: (inout ImportRun) -> Void = { _ in }
  ) async throws -> ImportCounts? {
    var run = ImportRun()
    change(&run)
    return try await run.run(file, into: path(name))
  }

  /// The message of the error of an import of a text into a store.
  func message(
    _ text: String, into name: String, file: String = "notes.jsonl", _ change: (inout ImportRun) -> Void = { _ in }
  ) async throws -> String {
    do {
      try await run(write(text, to: file), into: name, change)
      return "no error"
    } catch { return "\(error)" }
  }

  func problems(_ name: String) async throws -> [String] {
    try await inspect(name) { store in try StoreMaintenance.verifyNow(store).problems }
  }
}

/// The entities of the tests: notes in ordered folders, with tags, all kinds of values, and a unique title.
enum ExchangeNotes {
  static let entities: [EntityDescription] = [
    EntityDescription(
      "Folder",
      [
        .attribute("name", .string),
        PropertyDescription("notes", .toMany("Note", inverse: nil, .cascade, isOrdered: true)),
      ]),
    EntityDescription(
      "Note",
      [
        .attribute("title", .string), .attribute("stars", .int, isOptional: true), .attribute("size", .unsigned),
        .attribute("ratio", .double), .attribute("isDone", .bool), .attribute("data", .bytes, isOptional: true),
        .attribute("changed", .date, isOptional: true), .attribute("token", .uuid),
        .attribute("picture", .blob, isOptional: true), .attribute("body", .string, isOptional: true),
        PropertyDescription("folder", .toOne("Folder", inverse: "notes", .nullify)),
        PropertyDescription("tags", .toMany("Tag", inverse: "notes", .nullify, isOrdered: false)),
        PropertyDescription(
          "", .index([IndexColumn("title")], isUnique: true, nilsAreEqual: false, keepsHistory: false)),
      ]),
    EntityDescription(
      "Tag",
      [
        .attribute("name", .string, isIndexed: true),
        PropertyDescription("notes", .toMany("Note", inverse: nil, .nullify, isOrdered: false)),
      ]),
  ]

  /// The header as an export has it.
  static let header = """
    {"reprise-export":1,"entities":[{"name":"Folder","properties":[{"name":"name","kind":"string"},\
    {"name":"notes","kind":"toMany","target":"Note","deleteRule":"cascade","isOrdered":true}]},\
    {"name":"Note","properties":[{"name":"title","kind":"string"},{"name":"stars","kind":"int","isOptional":true},\
    {"name":"size","kind":"unsigned"},{"name":"ratio","kind":"double"},{"name":"isDone","kind":"bool"},\
    {"name":"data","kind":"bytes","isOptional":true},{"name":"changed","kind":"date","isOptional":true},\
    {"name":"token","kind":"uuid"},{"name":"picture","kind":"blob","isOptional":true},\
    {"name":"body","kind":"string","isOptional":true},\
    {"name":"folder","kind":"toOne","target":"Folder","inverse":"notes"},\
    {"name":"tags","kind":"toMany","target":"Tag","inverse":"notes"},{"kind":"unique","columns":[["title"]]}]},\
    {"name":"Tag","properties":[{"name":"name","kind":"string","isIndexed":true},\
    {"name":"notes","kind":"toMany","target":"Note"}]}]}
    """

  static func uuid(_ number: Int) -> String { UniqueID(high: 0, low: UInt64(number)).description }
  static func note(_ number: Int) -> String { "Note/\(uuid(number))" }

  /// The lines with the header before and the last line after them.
  static func file(_ lines: String...) -> String {
    ([header] + lines + [#"{"end":true}"#, ""]).joined(separator: "\n")
  }

  static let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad:3"

  /// Two notes, the first one with hard values.
  static let sample = file(
    #"{"blob":"\#(abc)","offset":0,"bytes":"YWJj"}"#,
    #"{"object":"Folder/\#(uuid(1))","values":{"name":"Home"},"members":{"notes":["\#(note(2))","\#(note(1))"]}}"#,
    #"{"object":"\#(note(1))","values":{"body":"","changed":"2026-11-20T18:30:00.25Z","data":"AP8=","#
      + #""folder":"Folder/\#(uuid(1))","isDone":true,"picture":"\#(abc)","ratio":"nan:7ff8000000000123","#
      + #""size":18446744073709551615,"stars":-9223372036854775808,"title":"a\u0000\u202e\n\"té\"","#
      + #""token":"\#(uuid(7))"},"members":{"tags":["Tag/\#(uuid(1))"]}}"#,
    #"{"object":"\#(note(2))","values":{"body":null,"changed":null,"data":null,"folder":"Folder/\#(uuid(1))","#
      + #""isDone":false,"picture":null,"ratio":-0.0,"size":0,"stars":null,"title":"=1+1","#
      + #""token":"\#(uuid(0))"},"members":{"tags":[]}}"#,
    #"{"object":"Tag/\#(uuid(1))","values":{"name":"red"}}"#)
}
