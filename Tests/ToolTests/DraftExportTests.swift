import Foundation
import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseObjectModel
import RepriseTestTool
import RepriseTool
import XCTest

/// An export of a draft lacks an edit, or a part of a value.
@MainActor
final class DraftExportTests: XCTestCase {
  private var folder: ExchangeFolder!
  private let long = String(repeating: "long \u{1B}[31m<b>\"text\"</b>\n", count: 100)
  private let wide = (10..<35).map { "a\($0)" }

  override func setUp() async throws { folder = try ExchangeFolder() }

  private var schema: Schema {
    get throws {
      let texts = (wide + ["title"]).map { PropertyDescription.attribute($0, .string) }
      let note = EntityDescription(
        "Note",
        texts + [
          .attribute("data", .bytes), .attribute("picture", .blob),
          PropertyDescription("home", .toOne("Folder", inverse: "notes", .nullify)),
          PropertyDescription("tags", .toMany("Tag", inverse: "notes", .nullify, isOrdered: false)),
        ])
      let home = EntityDescription(
        "Folder",
        [
          .attribute("name", .string),
          PropertyDescription("notes", .toMany("Note", inverse: "home", .cascade, isOrdered: false)),
        ])
      let tag = EntityDescription(
        "Tag",
        [
          .attribute("name", .string),
          PropertyDescription("notes", .toMany("Note", inverse: "tags", .nullify, isOrdered: false)),
        ])
      return try EntityDescription.schema([note, home, tag])
    }
  }

  /// The lines of an export, by their object. A line without an object is under "".
  private func lines(of draft: String) async throws -> [String: [String: Any]] {
    var lines: [String] = []
    try await folder.inspect("a") { store in
      let export = try DraftsReport.export(draft, of: store)
      try await export.write(store) { lines.append($0) }
    }
    XCTAssertEqual(lines.last, "{\"end\":true}\n")
    var found: [String: [String: Any]] = [:]
    for line in lines.dropLast() {
      let json = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let key = json["object"] as? String ?? json["blob"] as? String ?? ""
      XCTAssertNil(found.updateValue(json, forKey: key), "\(key) occurs twice")
    }
    let objects = lines.compactMap {
      $0.hasPrefix("{\"object\":\"") ? String($0.dropFirst(11).prefix { $0 != "\"" }) : nil
    }
    XCTAssertEqual(objects, objects.sorted { $0.suffix(36) < $1.suffix(36) })
    return found
  }

  func testAnExportedDraftLacksAnEdit() async throws {
    let store = try await Store.open(folder.path("a"), for: schema)
    let base = RootContext(store)
    let places = Places(store)
    let (note, home, tag) = try (places.entity("Note"), places.entity("Folder"), places.entity("Tag"))
    let notes = try (0..<15).map { try base.insert(note, ["title": .string("Note \($0)")]) }
    let house = try base.insert(home, ["name": .string("Home")])
    let red = try base.insert(tag, ["name": .string("red")])
    try notes[0].insert(red._storage.id, into: "tags", at: nil)
    try await base.save()

    let context = try RootContext(store, author: "cyd", draft: "edi\u{1B}tor")
    let edited = try notes.map { try context.object($0._storage.id) }
    for (number, object) in edited.prefix(12).enumerated() {
      try object.set("title", to: .string("\(number) \(long)"))
      try object.set("data", to: .bytes([UInt8](repeating: UInt8(number), count: 1_000)))
    }
    try edited[0].remove(red._storage.id, from: "tags")
    try edited[1].insert(red._storage.id, into: "tags", at: nil)
    try edited[2].set("home", to: .reference(house._storage.id))
    let blob = try await Blob([UInt8](repeating: 7, count: 3_000), in: store)
    try edited[3].set("picture", to: .blob(blob))
    context.delete(edited[14])
    let added = try context.insert(note, Dictionary(uniqueKeysWithValues: wide.map { ($0, .string("value of \($0)")) }))
    let ids = edited.map { "\($0._storage.id)" }
    let new = "\(added._storage.id)"
    try await store.flush()
    try await store.close()

    try await checkImport(of: "edi\u{1B}tor", deleted: "\(edited[14]._storage.id)")
    let lines = try await lines(of: "edi\u{1B}tor")
    XCTAssertEqual(lines.count, 12 + 1 + 1 + 1 + 1 + 1, "edited, deleted, inserted, tag, blob, header")
    XCTAssertEqual(lines[""]?["draft"] as? String, "edi\u{1B}tor")
    XCTAssertEqual(lines[""]?["author"] as? String, "cyd")
    XCTAssertEqual(lines[""]?["base"] as? Int, 2)
    for number in 0..<12 {
      let line = try XCTUnwrap(lines[ids[number]])
      XCTAssertEqual(line["change"] as? String, "updated")
      XCTAssertEqual((line["old"] as? [String: Any])?["title"] as? String, "Note \(number)")
      let values = try XCTUnwrap(line["values"] as? [String: Any])
      XCTAssertEqual(values["title"] as? String, "\(number) \(long)")
      let data = Data(base64Encoded: try XCTUnwrap(values["data"] as? String))
      XCTAssertEqual(data, Data(repeating: UInt8(number), count: 1_000))
    }
    func members(_ id: String, _ property: String) -> [String: [String]]? {
      (lines[id]?["members"] as? [String: Any])?[property] as? [String: [String]]
    }
    let tagID = "\(red._storage.id)"
    XCTAssertEqual(members(ids[0], "tags"), ["added": [], "removed": [tagID]])
    XCTAssertEqual(members(ids[1], "tags"), ["added": [tagID], "removed": []])
    XCTAssertEqual(members(tagID, "notes"), ["added": [ids[1]], "removed": [ids[0]]])
    XCTAssertEqual((lines[ids[2]]?["values"] as? [String: Any])?["home"] as? String, "\(house._storage.id)")
    let picture = try XCTUnwrap((lines[ids[3]]?["values"] as? [String: Any])?["picture"] as? String)
    let bytes = try XCTUnwrap(lines[picture]?["bytes"] as? String)
    XCTAssertEqual(Data(base64Encoded: bytes), Data(repeating: 7, count: 3_000))
    XCTAssertEqual(lines[ids[14]]?["change"] as? String, "deleted")
    XCTAssertEqual((lines[ids[14]]?["old"] as? [String: Any])?["title"] as? String, "Note 14")
    XCTAssertNil(lines[ids[14]]?["values"])
    XCTAssertEqual(lines[new]?["change"] as? String, "inserted")
    let inserted = try XCTUnwrap(lines[new]?["values"] as? [String: Any])
    for name in wide { XCTAssertEqual(inserted[name] as? String, "value of \(name)") }
  }

  /// The store with the saved draft is equal to the store with the imported one.
  private func checkImport(of draft: String, deleted: String) async throws {
    var text = ""
    try await folder.inspect("a") { store in try await DraftsReport.export(draft, of: store).write(store) { text += $0 }
    }
    let file = try folder.write(text, to: "draft.jsonl")
    for name in ["b", "c"] {
      try FileManager.default.copyItem(atPath: folder.path("a"), toPath: folder.path(name))
    }
    let saved = try await Store.open(inspecting: folder.path("b"), editing: true)
    _ = try await DraftPlan(draft, of: saved).save(as: "Save")
    try await saved.close()
    let trial = try await folder.run(file, into: "c") { $0.isTrial = true }
    let counts = try await folder.run(file, into: "c")
    XCTAssertEqual([counts?.inserted, counts?.updated, counts?.deleted, counts?.transactions], [1, 13, 1, 1])
    XCTAssertEqual([trial?.inserted, trial?.updated, trial?.deleted, trial?.transactions], [1, 13, 1, 0])
    let (wanted, found) = try await (folder.export("b"), folder.export("c"))
    XCTAssertEqual(found, wanted)
    XCTAssertFalse(found.contains(deleted), "the object is deleted")
    try await folder.inspect("c") { store in
      let transaction = try XCTUnwrap(store.log.transaction(at: store.log.head))
      XCTAssertEqual([transaction.author, transaction.name], ["cyd", "Import draft.jsonl"])
    }
    let again = try await folder.run(file, into: "c")
    XCTAssertEqual([again?.isEmpty, again?.unchanged == 15], [true, true])
    let problems = try await folder.problems("c")
    XCTAssertEqual(problems, [])
    let later = text.replacing(#""old":{"title":"Note 3""#, with: #""old":{"title":"Older""#)
    let message = try await folder.message(later, into: "d", file: "draft.jsonl")
    XCTAssertEqual(
      message,
      "There is no store at \(folder.path("d")), and an exported draft has only changes. Import it into a store with "
        + "the objects that it changes.")
    try FileManager.default.copyItem(atPath: folder.path("a"), toPath: folder.path("d"))
    let before = try await folder.export("d")
    let refused = try await folder.message(later, into: "d", file: "draft.jsonl")
    XCTAssertTrue(
      refused.hasSuffix(
        " has changed since the draft began. The import changed nothing. Remove the value or the line, or correct "
          + "'old' to overwrite the later value."), refused)
    XCTAssertTrue(refused.contains(": 'title' of Note/"), refused)
    let after = try await folder.export("d")
    XCTAssertEqual(after, before)
    var lines: [String] = []
    try ImportText(XCTUnwrap(counts), isTrial: false).write(to: Output(.text(Style())) { lines.append($0) })
    try ImportText(XCTUnwrap(trial), isTrial: true).write(to: Output(.text(Style())) { lines.append($0) })
    XCTAssertEqual(
      lines,
      [
        "Inserted 1 and updated 13 objects. 0 are equal already.", "Deleted 1 object.",
        "Would insert 1 and update 13 objects. 0 are equal already.", "Would delete 1 object.",
      ])
    for name in ["b", "c", "d"] { folder.remove(name) }
  }

  func testMistakesInADraftHaveNoPlace() async throws {
    let store = try await Store.open(folder.path("a"), for: schema)
    let context = RootContext(store)
    let note = try context.insert(Places(store).entity("Note"), ["title": .string("Tea")])._storage.id
    try await context.save()
    try await store.close()
    let (header, end) = ("{\"reprise-draft\":1}\n", "\n{\"end\":true}\n")
    let none = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855:0"
    let (lost, missing) = ("sha256:" + String(repeating: "0", count: 64) + ":3", "00000000-0000-0000-0000-000000000001")
    for (line, message) in [
      (
        #"{"object":"\#(note)","change":"moved"}"#,
        "a change of a draft has 'object', and 'inserted', 'updated' or 'deleted' as its 'change'. Correct the line, "
          + "or export again."
      ),
      (
        #"{"object":"\#(note)","change":"updated","old":{"title":"Milk"},"values":{"title":"Coffee"}}"#,
        "'title' of \(note) has changed since the draft began. The import changed nothing. Remove the value or the "
          + "line, or correct 'old' to overwrite the later value."
      ),
      (
        #"{"object":"Note/\#(missing)","change":"updated","values":{"title":"Coffee"}}"#,
        "Note/\(missing) has changed since the draft began. The import changed nothing. Remove the value or the line, "
          + "or correct 'old' to overwrite the later value."
      ),
      (
        #"{"object":"\#(note)","change":"deleted","old":{"title":"Milk"}}"#,
        "'title' of \(note) has changed since the draft began. The import changed nothing. Remove the value or the "
          + "line, or correct 'old' to overwrite the later value."
      ),
      (
        #"{"object":"\#(note)","change":"updated","members":{"tags":{"added":["Tag/\#(missing)"]}}}"#,
        "'tags' refers to Tag/\(missing), but neither the file nor the store has this object. Add the object, or "
          + "remove the reference."
      ),
      (
        #"{"object":"\#(note)","change":"updated","members":{"tags":{"added":["Note/\#(missing)"]}}}"#,
        "'tags' must be a list of objects of Tag, but it is \"Note/\(missing)\". Correct the value."
      ),
      (
        #"{"object":"\#(note)","change":"updated","old":{"picture":"\#(none)"},"values":{"picture":"\#(lost)"}}"#,
        "'picture' is \(lost), but neither the file nor the store has its bytes. Import an export in JSON, "
          + "which has the bytes of blobs."
      ),
    ] {
      let found = try await folder.message(header + line + end, into: "a", file: "draft.jsonl")
      XCTAssertEqual(found.replacing("draft.jsonl, line 2: ", with: ""), message)
      XCTAssertTrue(found.hasPrefix("draft.jsonl, line 2: "), found)
    }
    let truncated = try await folder.message(header, into: "a", file: "draft.jsonl")
    XCTAssertTrue(truncated.hasPrefix("draft.jsonl has no last line {\"end\":true}"), truncated)
    var part = ImportRun()
    part.entity = "Note"
    do {
      _ = try await part.run(folder.path("draft.jsonl"), into: folder.path("a"))
      XCTFail("A part of a draft was imported.")
    } catch {
      XCTAssertEqual(
        String(describing: error).replacing(folder.path("draft.jsonl"), with: "draft.jsonl"),
        "draft.jsonl is an exported draft, and a draft is imported as a whole. Leave out '--entity'.")
    }
    let newer = try await folder.message("{\"reprise-draft\":2}\n" + end, into: "a", file: "draft.jsonl")
    XCTAssertTrue(newer.hasPrefix("draft.jsonl has version 2 of the format"), newer)
  }

  func testASavedDraftKeepsAnEditBack() async throws {
    let store = try await Store.open(folder.path("a"), for: schema)
    let note = try Places(store).entity("Note")
    let context = try RootContext(store, author: "cyd", draft: "editor")
    try context.insert(note, ["title": .string("Tea")])
    try await store.flush()
    try await store.close()
    let edited = try await Store.open(inspecting: folder.path("a"), editing: true)
    let position = try await DraftPlan("editor", of: edited).save(as: "Save a draft")
    XCTAssertEqual(position, edited.log.head)
    let saved = try XCTUnwrap(edited.log.transaction(at: edited.log.head))
    XCTAssertEqual([saved.author, saved.name], ["cyd", "Save a draft"])
    XCTAssertEqual(saved.inserted.count, 1)
    XCTAssertEqual(try edited.drafts.all().count, 0)
    try await edited.close()
  }

  func testADraftCannotBeExportedOrSaved() async throws {
    let store = try await Store.open(folder.path("a"), for: schema)
    let note = try Places(store).entity("Note")
    let context = try RootContext(store, draft: "editor")
    try context.insert(note, ["title": .string("Tea")])
    let child = try context.makeChild(draft: "part")
    try child.insert(note, ["title": .string("Coffee")])
    try await store.flush()
    func message(_ action: @MainActor () async throws -> Void) async -> String {
      do { try await action() } catch { return "\(error)" }
      return ""
    }
    let missing = await message { _ = try DraftsReport.export("edito", of: store) }
    XCTAssertEqual(missing, "The store has no draft 'edito'. It has: editor, part.")
    let part = await message { _ = try await DraftPlan("part", of: store).save(as: "Save") }
    XCTAssertEqual(part, "The draft 'part' is a part of the draft 'editor'. Save or discard that one.")
    let used = await message { _ = try await DraftPlan("editor", of: store).save(as: "Save") }
    XCTAssertEqual(used, "\(DraftError.inUse("editor"))")
    XCTAssertEqual(
      "\(ToolError.unreadableDraft("editor", reason: "The models lack 'Note'."))",
      "The edits of the draft 'editor' cannot be read: The models lack 'Note'. Use a program with the models that made "
        + "them.")
    XCTAssertTrue(context.hasChanges)
    try await store.close()
  }
}
