import Foundation
@testable import RepriseRestoration
import Reprise
import RepriseSourceErrors
import XCTest

/// What a program shows when something failed.
final class LocalizedErrorTests: XCTestCase {
  func testAnAlertDoesNotSayThatTheOperationCouldNotBeCompleted() throws {
    for (type, samples) in try samples() {
      for (name, error) in samples {
        XCTAssertEqual(error.localizedDescription, "\(error)", "\(type).\(name)")
      }
    }
  }

  func testTheTextOfEveryErrorIsSentences() throws {
    for (type, samples) in try samples() {
      for (name, error) in samples {
        assertSentences(error, "\(type).\(name)")
      }
    }
  }

  private func assertSentences(_ error: any RepriseError, _ name: String = "", line: UInt = #line) {
    let text = "\(error)"
    let name = "\(name): \(text)"
    XCTAssertTrue(text.hasSuffix("."), name, line: line)
    XCTAssertFalse(text.first?.isLowercase ?? true, name, line: line)
    for flaw in ["..", "  ", ".,", "Optional(", ": 1 conflicts", "1 values", "1 rules"] {
      XCTAssertFalse(text.replacing("...", with: "…").contains(flaw), "'\(flaw)' in \(name)", line: line)
    }
  }

  func testNoErrorIsWithoutATestOfItsText() throws {
    let samples = try samples()
    for (type, samples) in samples { XCTAssertEqual(Set(samples.keys), try cases(of: type), type) }
    XCTAssertEqual(try errors().subtracting(samples.keys), [])
  }

  func testEveryReasonIsASentenceToo() {
    let reasons: [InvalidValue.Reason] = [
      .typeMismatch(expected: "an integer"), .outOfRange, .missing, .unsavedTarget, .missingBlob,
    ]
    for reason in reasons {
      assertSentences(
        PropertyError.invalidValue(InvalidValue(object: note, property: "stars", value: .int(6), reason: reason)))
    }
    let kinds: [Conflict.Kind] = [
      .attribute("stars"), .deletedByThem, .unrestorable, .deletedByMe, .missingTarget("writer"),
      .unsavedTarget("writer"),
      .addedToDeleted("tags", .nullify), .addedToDeleted("tags", .cascade), .taken("cover", by: writer),
      .insertedTwice,
    ]
    for kind in kinds {
      assertSentences(SaveError.refused(SaveRefusal(of: .save, [Conflict(object: note, kind: kind)], [])!))
    }
    let rules: [RuleViolation.Rule] = [
      .unique(heldBy: writer), .required, .minimum(1), .maximum(2), .deny, .noAction, .range("0...5"),
      .length("1...80"), .pattern("[a-z]+"), .allowedValues([.int(1), .int(2)]), .valid("a name begins with a letter"),
      .object("it ends before it begins"), .derived(.int(3)),
    ]
    for rule in rules {
      let violation = RuleViolation(object: note, properties: ["stars"], values: [.int(9)], rule: rule)
      assertSentences(SaveError.refused(SaveRefusal(of: .save, [], [violation])!))
    }
    for reason in [.noChanges, .unknown(entity: "Note", property: nil), .erased] as [RevertError.Reason] {
      assertSentences(RevertError.irreversible(3, reason))
    }
  }

  func testWhoDeletedAnObjectIsTold() {
    func text(_ kind: Conflict.Kind) -> String { "\(Conflict(object: note, kind: kind))" }
    XCTAssertTrue(text(.deletedByMe).contains("deleted here, changed elsewhere"), text(.deletedByMe))
    XCTAssertTrue(text(.deletedByThem).contains("changed here, deleted elsewhere"), text(.deletedByThem))
    XCTAssertTrue(text(.addedToDeleted("tags", .nullify)).contains("deleted here"))
    XCTAssertTrue(text(.addedToDeleted("tags", .cascade)).contains("deleted here"))
    XCTAssertTrue(text(.missingTarget("writer")).contains("deleted elsewhere"))
    for kind in [.deletedByMe, .addedToDeleted("tags", .nullify)] as [Conflict.Kind] {
      XCTAssertFalse(text(kind).contains("deleted elsewhere"), text(kind))
    }
    for kind in [.deletedByThem, .missingTarget("writer")] as [Conflict.Kind] {
      XCTAssertFalse(text(kind).contains("deleted here"), text(kind))
    }
  }

  func testARefusalSaysWhatToWriteInstead() {
    let stored = StoreError.incompatible(entity: "Note", property: "stars", stored: "integer", model: "String")
    XCTAssertTrue("\(stored)".contains("AttributeConversion"), "\(stored)")
    XCTAssertTrue("\(SaveError.tooLong(limit: 1))".contains("Blob"))
  }

  // MARK: The errors

  /// By type and case.
  private func samples() throws -> [String: [String: any RepriseError]] {
    let sources = ["RemoteError": remoteErrors, "SourceError": sourceErrors]
    return try coreSamples().merging(sources) { $1 }
  }

  private func coreSamples() throws -> [String: [String: any RepriseError]] {
    ["StoreError": storeErrors, "SaveError": saveErrors]
      .merging(["DraftError": draftErrors, "LookupError": lookupErrors]) { $1 }
      .merging(["FetchError": fetchErrors, "UpdateError": updateErrors]) { $1 }
      .merging(["RestorationError": try restorationErrors()]) { $1 }
      .merging(["PropertyError": propertyErrors, "ExchangeError": exchangeErrors, "BlobError": blobErrors]) { $1 }
      .merging(["RevertError": reversalErrors]) { $1 }
      .merging(["ProjectionError": projectionErrors, "ErasureError": erasureErrors]) { $1 }
      .merging(["SchemaError": schemaErrors, "MigrationError": migrationErrors]) { $1 }
  }

  private let path = "/data/notes.reprise"
  private let note = AnyObjectID(EntityName("Note"), UniqueID(high: 1, low: 2))
  private let writer = AnyObjectID(EntityName("Writer"), UniqueID(high: 3, low: 4))

  private var value: InvalidValue {
    InvalidValue(object: note, property: "stars", value: .string("five"), reason: .typeMismatch(expected: "an integer"))
  }

  private var violation: RuleViolation {
    RuleViolation(object: note, properties: ["title"], values: [.string("A")], rule: .unique(heldBy: writer))
  }

  private var refusal: SaveRefusal { SaveRefusal(of: .save, [conflict], [violation], [value])! }

  private var conflict: Conflict { Conflict(object: note, kind: .deletedByMe) }

  private var storeErrors: [String: any RepriseError] {
    let errors: [String: StoreError] = [
      "notFound": .notFound(path: path), "notADirectory": .notADirectory(path: path),
      "permissionDenied": .permissionDenied(path: path), "readOnly": .readOnly(path: path),
      "notAStore": .notAStore(path: path, reason: "it has no meta page"),
      "newerFormat": .newerFormat(path: path, found: 9, supported: 1),
      "prereleaseFormat": .prereleaseFormat(path: path),
      "collationVersionMismatch": .collationVersionMismatch(path: path, found: 9, supported: 1),
      "localeVersionMismatch": .localeVersionMismatch(path: path, locale: "sv"),
      "fileTruncated": .fileTruncated(path: path, expected: 8_192, found: 4_096),
      "transactionsLost": .transactionsLost(path: path, last: Position(1), saved: Position(2)),
      "truncated": .truncated(path: path, position: 3, firstPosition: 7),
      "otherLog": .otherLog(path: path, token: 9, head: 7),
      "damaged": .damaged(path: path, reason: "page 3 has no tree"), "deleted": .deleted(path: path, file: "data.mdb"),
      "replaced": .replaced(path: path), "sameProcessID": .sameProcessID(path: path, process: 1),
      "writerBusy": .writerBusy(path: path, process: 4_710, thread: 4_711, seconds: 30),
      "diskFull": .diskFull(path: path),
      "system": .system(path: path, operation: "write", code: 5, message: "Input/output error"),
      "schema": .schema(.duplicateEntity("Note")), "missingModels": .missingModels(["Note"], given: ["Writer"]),
      "incompatible": .incompatible(entity: "Note", property: "stars", stored: "a text", model: "an integer"),
      "notInModels": .notInModels([
        .property("stars", entity: "Note"), .entity("Writer"), .index("[a]", entity: "Note"),
      ]),
      "possibleRenames": .possibleRenames([
        PossibleRename(entity: "Note", property: "points", formers: ["stars"]),
        PossibleRename(entity: "Memo", property: nil, formers: ["Note"]),
        PossibleRename(entity: "Memo", property: "text", formers: ["title"], source: "Note"),
      ]),
      "migration": .migration(.outdatedProgram(version: 1, oldest: 2, stored: 3)),
      "ambiguousRename": .ambiguousRename(entity: "Note", property: "stars", was: ["points"]),
      "renamedByNewerProgram": .renamedByNewerProgram("stars", entity: "Note", now: "points"),
      "violations": .violations([violation]),
      "unreadableValue": .unreadableValue(
        object: note, property: "stars", value: .int(600), type: AttributeType(Int8.self)),
      "alreadyOpenWithOtherOptions": .alreadyOpenWithOtherOptions(path: path), "inUse": .inUse(path: path),
      "forked": .forked(path: path),
      "inUseElsewhere": .inUseElsewhere(path: path),
      "tooManyReaders": .tooManyReaders(path: path), "opening": .opening(path: path), "closed": .closed(path: path),
      "journal": .journal(path: path, reason: "The disk is full. Free some space."),
    ]
    return errors
  }

  private var saveErrors: [String: any RepriseError] {
    let errors: [String: SaveError] = [
      "refused": .refused(refusal), "unreadable": .unreadable([note: .closed(path: path)]),
      "tooLarge": .tooLarge(events: 2, limit: 1), "tooLong": .tooLong(limit: 1),
      "deletedInPart": .deletedInPart(objects: 2, reason: .refused(refusal)),
      "unknown": .unknown(entity: "Note", property: nil), "store": .store(.diskFull(path: path)),
      "outcomeUnknown": .outcomeUnknown(transaction: note.uuid), "overtaken": .overtaken([note]),
    ]
    return errors
  }

  private var draftErrors: [String: any RepriseError] {
    let errors: [String: DraftError] = [
      "invalidID": .invalidID(""), "inUse": .inUse("editor"), "present": .present("editor"),
      "parentWithoutDraft": .parentWithoutDraft("editor"),
      "unreadable": .unreadable("editor", reason: "the model Note has no 'stars'"),
      "store": .store(.closed(path: path)),
    ]
    return errors
  }

  private var lookupErrors: [String: any RepriseError] {
    let errors: [String: LookupError] = [
      "notFound": .notFound(note), "deleted": .deleted(note), "malformedURI": .malformedURI("http:"),
      "foreignStore": .foreignStore(uri: "reprise://x", log: note.uuid), "unknownEntity": .unknownEntity("Note"),
      "unreadable": .unreadable(note, reason: "its checksum is wrong"), "store": .store(.closed(path: path)),
    ]
    return errors
  }

  private var propertyErrors: [String: any RepriseError] {
    let errors: [String: PropertyError] = [
      "unknownEntity": .unknownEntity("Note"), "unknown": .unknown("stars", entity: "Note"),
      "toMany": .toMany("tags", entity: "Note"),
      "notToMany": .notToMany("title", entity: "Note"), "derived": .derived("length", entity: "Note"),
      "invalidValue": .invalidValue(value), "readOnly": .readOnly(note),
      "missingTarget": .missingTarget(writer, property: "writer", entity: "Note"),
    ]
    return errors
  }

  private var exchangeErrors: [String: any RepriseError] {
    let errors: [String: ExchangeError] = [
      "unknownKey": .unknownKey(path: "tags[1].nmae"), "missingKey": .missingKey(path: "title"),
      "wrongType": .wrongType(path: "", reason: "it is not Int"),
      "unknownProperty": .unknownProperty("nmae", entity: "Note"), "exists": .exists(note, path: "tags[0]"),
      "missingTarget": .missingTarget(writer, path: "writer"), "malformed": .malformed(reason: "it is empty"),
    ]
    return errors
  }

  private var reversalErrors: [String: any RepriseError] {
    let errors: [String: RevertError] = [
      "refused": .refused(refusal),
      "uncommittedChanges": .uncommittedChanges, "nothingLeft": .nothingLeft(3), "notFound": .notFound(9, head: 7),
      "irreversible": .irreversible(3, .unknown(entity: "Note", property: "stars")),
      "store": .store(.closed(path: path)),
    ]
    return errors
  }

  private var projectionErrors: [String: any RepriseError] {
    let errors: [String: ProjectionError] = [
      "notInstalled": .notInstalled(name: "counts"), "unfinished": .unfinished(name: "counts", done: 0.3),
      "newerVersion": .newerVersion(name: "counts", found: 3, own: 2), "invalidName": .invalidName(""),
      "failed": .failed(name: "counts", at: 3, reason: "a row has no number"), "headOnly": .headOnly(name: "counts"),
    ]
    return errors
  }

  private var erasureErrors: [String: any RepriseError] {
    let errors: [String: ErasureError] = [
      "unknown": .unknown(entity: "Note", property: "stars"), "notFound": .notFound(note),
      "journals": .journals(["a.journal", "b.damaged"]),
      "unfinishedIndexes": .unfinishedIndexes(["Note.stars"]),
    ]
    return errors
  }

  private var schemaErrors: [String: any RepriseError] {
    let errors: [String: SchemaError] = [
      "duplicateEntity": .duplicateEntity("Note"), "emptyName": .emptyName(entity: "Note"),
      "duplicateProperty": .duplicateProperty(entity: "Note", property: "stars"),
      "repeatedFormerName": .repeatedFormerName("stars", entity: "Note", property: "stars"),
      "missingTarget": .missingTarget(entity: "Note", property: "writer", target: "Writer"),
      "missingInverse": .missingInverse(entity: "Note", property: "writer", target: "Writer", inverse: nil),
      "missingDefault": .missingDefault(entity: "Note", property: "mood"),
      "mergeRule": .mergeRule(.set, entity: "Note", property: "stars"),
      "invalidRule": .invalidRule(entity: "Note", property: "title", reason: "the pattern '(' does not end"),
      "unknownColumn": .unknownColumn(entity: "Note", index: "[stras]", column: "stras"),
      "columnNotStored": .columnNotStored(entity: "Note", index: "[tags]", column: "tags"),
      "columnIsBlob": .columnIsBlob(entity: "Note", index: "[stars, image]", column: "image"),
      "repeatedColumn": .repeatedColumn(entity: "Note", index: "[stars, stars]", column: "stars"),
      "emptyIndex": .emptyIndex(entity: "Note"),
      "tooManyColumns": .tooManyColumns(entity: "Note", index: "[stars]", limit: 8),
      "unknownLocale": .unknownLocale(entity: "Note", index: "[title]", locale: "xx"),
      "notSearchable": .notSearchable(entity: "Note", property: "stars"),
    ]
    return errors
  }

  /// A store cannot be opened because of them.
  private var migrationErrors: [String: any RepriseError] {
    let errors: [String: MigrationError] = [
      "value": .value(.string("x"), of: note, property: "stars", migration: "stars", reason: "it is no number"),
      "typeMismatch": .typeMismatch(
        entity: "Note", property: "stars", stored: "a text", expected: "an integer", migration: "stars"),
      "cannotMap": .cannotMap("Note", migration: "split", reason: "it is not in the store"),
      "object": .object(note, mapping: "Note to Memo", migration: "split", reason: "it has no writer"),
      "stillDeclared": .stillDeclared("Note.stars", migration: "split"),
      "unknownName": .unknownName("Note.strs", migration: "stars", candidates: ["Note.stars"]),
      "versionsOutOfOrder": .versionsOutOfOrder([2, 1]), "inProgress": .inProgress(path: path, process: 4_711),
      "cancelled": .cancelled(path: path), "outdatedProgram": .outdatedProgram(version: 1, oldest: 2, stored: 3),
      "unfinished": .unfinished(version: 3),
    ]
    return errors.mapValues { StoreError.migration($0) }
  }

  private var blobErrors: [String: any RepriseError] {
    let errors: [String: BlobError] = [
      "missing": .missing(.empty), "damaged": .damaged(.empty, reason: "chunk 3 of a blob is missing"),
      "outOfBounds": .outOfBounds(3..<9, .empty),
      "file": .file(path: path, operation: "open", code: 2, message: "No such file or directory"),
      "store": .store(.closed(path: path)),
    ]
    return errors
  }

  private var fetchErrors: [String: any RepriseError] {
    let errors: [String: FetchError] = [
      "unknownEntity": .unknownEntity("Note"),
      "unknownProperty": .unknownProperty(term: "stars", entity: "Note", property: "stars"),
      "notToOne": .notToOne(term: "tags.name", entity: "Note", property: "tags"),
      "notAnAttribute": .notAnAttribute(term: "writer", entity: "Note", property: "writer"),
      "notToMany": .notToMany(term: "title", entity: "Note", property: "title"),
      "wrongType": .wrongType(term: "stars", expected: "an integer", found: "a text"),
      "notComputable": .notComputable(term: "title + stars", found: "a text"),
      "invalidPattern": .invalidPattern(pattern: "(", offset: 1, reason: "the group does not end"),
      "notTranslatable": .notTranslatable(part: "$0.title.count", reason: "no field counts characters"),
      "negativeLimit": .negativeLimit(-1), "negativeOffset": .negativeOffset(-1),
      "limitedHistory": .limitedHistory,
      "unknownSectionRule": .unknownSectionRule("month"), "tooDeep": .tooDeep(limit: 100),
      "unnamedSections": .unnamedSections("name.collated(.locale(\"sv\"))"),
      "unknownLocale": .unknownLocale(term: "name.collated(.locale(\"xx\"))", locale: "xx"),
      "malformedCondition": .malformedCondition, "notAssignable": .notAssignable("writer.name"),
      "notGrouped": .notGrouped("title"), "overflow": .overflow("sum of stars"),
      "notReadable": .notReadable(StoreError.closed(path: path).description),
    ]
    return errors
  }

  private var updateErrors: [String: any RepriseError] {
    let errors: [String: UpdateError] = [
      "invalidValue": .invalidValue(value), "overflow": .overflow(object: note, property: "stars"),
      "missingTarget": .missingTarget(writer), "oneToOne": .oneToOne(entity: "Note", property: "cover"),
      "unknownKeyPath": .unknownKeyPath(entity: "Note"), "notUnique": .notUnique(entity: "Note", properties: ["title"]),
      "missingKey": .missingKey(entity: "Note", properties: ["title"]), "batchSize": .batchSize(0),
    ]
    return errors
  }

  private var sourceErrors: [String: any RepriseError] {
    let errors: [String: SourceError] = [
      "unavailable": .unavailable(source: path, reason: "the file does not exist"),
      "denied": .denied(source: path, reason: "opening the folder is not permitted"),
      "invalid": .invalid(source: path, reason: "there is no column 'stars'"),
    ]
    return errors
  }

  private var remoteErrors: [String: any RepriseError] {
    let errors: [String: RemoteError] = [
      "unavailable": .unavailable(reason: "status 503: no reason given", retryAfter: .seconds(3)),
      "denied": .denied(reason: "the token has expired"), "malformed": .malformed(reason: "a row has no identifier"),
      "missingModels": .missingModels(path: path),
      "keyNotUnique": .keyNotUnique(entity: "Note", property: "remoteID"),
      "unsendable": .unsendable(reason: "the record is too large"),
      "refusedRows": .refusedRows(count: 2, first: "'17': has stars 6, which is not in 0...5"),
    ]
    return errors
  }

  private func restorationErrors() throws -> [String: any RepriseError] {
    let node = try NodePath(["main", "note"])
    let site = RegistrationSite("Main.swift", 12)
    let errors: [String: RestorationError] = [
      "invalidID": .invalidID("", reason: "it is empty"), "duplicate": .duplicate(id: "a", first: site, second: site),
      "unfinishedHandover": .unfinishedHandover(["a"]), "notRestored": .notRestored("A node was opened"),
      "alreadyRestored": .alreadyRestored, "ended": .ended("main"), "sceneInUse": .sceneInUse("main", process: 4_711),
      "nothingWaits": .nothingWaits(key: "a", site), "cycle": .cycle(["a", "b", "a"]),
      "impossibleNeeds": .impossibleNeeds(kind: "note", reason: "it needs itself"),
      "impossibleMigrations": .impossibleMigrations(kind: "note", reason: "version 2 has no migration"),
      "unknownKind": .unknownKind("note"), "noSuchNode": .noSuchNode(node), "missing": .missing(key: "a", node),
      "notReady": .notReady(key: "a", node), "notBuilt": .notBuilt(node, reason: "its document is gone"),
      "draft": .draft(node, .inUse("editor")), "factory": .factory(node, StoreError.closed(path: path)),
      "alreadyAdopted": .alreadyAdopted(node, site), "notAdopted": .notAdopted,
      "impossibleMove": .impossibleMove(node, reason: "it would be below itself"), "store": .store(.closed(path: path)),
      "preview": .preview("main", reason: "it takes more than 4 MiB"), "closed": .closed(node),
      "state": .state("note", reason: "it takes more than 1,000,000 bytes"),
    ]
    return errors
  }

  // MARK: The cases in the sources

  private func sources() throws -> [[Substring]] {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources")
    let files = try XCTUnwrap(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { file in
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }
  }

  private func errors() throws -> Set<String> {
    Set(
      try sources().joined().compactMap { line in
        line.wholeMatch(of: /public enum (\w+): (?:RepriseError|Error)\b.*/).map { String($0.1) }
      })
  }

  private func cases(of type: String) throws -> Set<String> {
    for lines in try sources() {
      guard let start = lines.firstIndex(where: { $0.hasPrefix("public enum \(type):") }) else { continue }
      return Set(
        lines[start...].prefix { $0 != "}" }.filter { $0.hasPrefix("  case ") }.map { line in
          String(line.dropFirst("  case ".count).prefix { $0.isLetter })
        })
    }
    XCTFail("no enum \(type) in the sources")
    return []
  }
}
