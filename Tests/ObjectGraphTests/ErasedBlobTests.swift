import Foundation
import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore

/// A picture is what people ask to be forgotten.
final class ErasedBlobTests: XCTestCase {
  private static let secret = "correct horse battery staple"

  /// Several chunks, in the second of which the secret stands.
  private func bytes(_ text: String) -> [UInt8] {
    [UInt8](repeating: 7, count: BlobTable.chunkSize + 100) + Array(text.utf8) + [UInt8](repeating: 8, count: 9_000)
  }

  private func isAnywhere(_ text: String, in path: String) throws -> Bool {
    try FileManager.default.subpathsOfDirectory(atPath: path).contains { name in
      guard let data = FileManager.default.contents(atPath: path + "/" + name) else { return false }
      return data.range(of: Data(text.utf8)) != nil
    }
  }

  func testNoByteOfAnErasedBlobIsInAnyFileAndWhatOthersHaveStays() async throws {
    for isDropped in [false, true] {
      let opened = try TestStore(Schema(Photo.self))
      let store = opened.store
      let context = RootContext(store, isolation: nil)
      let (shared, typed) = (try await Blob(bytes("shared"), in: store), try await Blob(bytes("typed"), in: store))
      let mine = context.insert(Photo(name: "mine", original: try await Blob(bytes(Self.secret), in: store)))
      let theirs = context.insert(Photo(name: "theirs", original: shared))
      let gone = context.insert(Photo(name: "gone", original: try await Blob(bytes("gone: " + Self.secret), in: store)))
      let first = try await context.save()
      for blob in [shared, typed, try await Blob(bytes("now"), in: store)] {
        mine.original = blob
        try await context.save()
      }
      context.delete(gone)
      try await context.save()
      let shelf = try RootContext(store, draft: "shelf", isolation: nil)
      try shelf.object(theirs.id).original = typed
      try await store.journals.checkpoint()
      // What the log no longer tells, only the objects have.
      if isDropped { try await store.log.retain(.from(first + 1)) }
      try await store.close()
      XCTAssertTrue(try isAnywhere(Self.secret, in: opened.path))

      try await StoreMaintenance.erase([Erasure(of: mine.id.any), Erasure(of: gone.id.any)], in: opened.path)
      XCTAssertFalse(try isAnywhere(Self.secret, in: opened.path))
      try opened.open()
      let problems = try await StoreMaintenance.verify(opened.store).problems
      XCTAssertEqual(problems, [])
      let reader = try RootContext(opened.store, draft: "shelf", isolation: nil)
      let now = try await reader.object(mine.id).original.bytes(in: opened.store)
      XCTAssertEqual(now, bytes("now"))
      let drafted = try await reader.object(theirs.id).original.bytes(in: opened.store)
      XCTAssertEqual(drafted, bytes("typed"))
      reader.discard()
      let kept = try await reader.object(theirs.id).original.bytes(in: opened.store)
      XCTAssertEqual(kept, bytes("shared"))
      try await opened.store.close()
    }
  }

  func testNoByteOfABlobThatNothingHasAnyMoreIsInAnyFile() async throws {
    for way in ["dropped", "dropped in part", "drafted", "unused"] {
      let opened = try TestStore(Schema(Photo.self))
      let store = opened.store
      let context = RootContext(store, isolation: nil)
      let photo = context.insert(Photo(name: "mine"))
      let secret = try await Blob(bytes(Self.secret), in: store)
      if way.hasPrefix("dropped") { photo.original = secret }
      try await context.save()
      if way == "drafted" {
        let editor = try RootContext(store, draft: "editor", isolation: nil)
        try editor.object(photo.id).original = secret
        try await store.journals.checkpoint()
      }
      photo.original = try await Blob(bytes("now"), in: store)
      try await context.save()
      photo.name = "now"
      let last = try await context.save()
      if way.hasPrefix("dropped") { try await retain(from: last, isCut: way != "dropped", secret, in: store) }
      try await store.close()
      XCTAssertTrue(try isAnywhere(Self.secret, in: opened.path), way)
      let report = try await StoreMaintenance.erase([Erasure(of: photo.id.any)], in: opened.path)
      XCTAssertEqual(report.discardedDrafts, way == "drafted" ? ["editor"] : [])
      XCTAssertFalse(try isAnywhere(Self.secret, in: opened.path), way)
      try opened.open()
      let problems = try await StoreMaintenance.verify(opened.store).problems
      XCTAssertEqual(problems, [], way)
      let now = try await RootContext(opened.store, isolation: nil).object(photo.id).original.bytes(in: opened.store)
      XCTAssertEqual(now, bytes("now"), way)
      try await opened.store.close()
    }
  }

  /// - Parameter isCut: As if a kill came right behind the commit that moves the floor.
  private func retain(from floor: Position, isCut: Bool, _ blob: Blob, in store: Store) async throws {
    let frames = try store.read { (view, _) throws(StorageError) in
      var frames: [(key: [UInt8], bytes: [UInt8])] = []
      for position in Position(1)..<floor {
        let bytes = try store.files.log.withFrame(position, view) { [UInt8]($0.bytes) }
        frames.append((withUnsafeBytes(of: position.number.bigEndian) { [UInt8]($0) } + [0, 0], bytes))
      }
      return frames
    }
    try await store.log.retain(.from(floor))
    if !isCut { return }
    try store.environment.write { (transaction) throws(StorageError) in
      for frame in frames {
        try transaction.put(store.tables.log, key: frame.key.span.bytes, value: frame.bytes.span.bytes)
      }
      try BlobTable(store.tables, transaction.view).keep(blob.digest, transaction)
    }
  }

  func testAPastBlobStaysWhereOnlyOtherPropertiesAreErased() async throws {
    let opened = try TestStore(Schema(Photo.self))
    let context = RootContext(opened.store, isolation: nil)
    let blob = try await Blob(bytes("past"), in: opened.store)
    let photo = context.insert(Photo(name: Self.secret, original: blob))
    let first = try await context.save()
    photo.name = "Open"
    photo.original = .empty
    try await context.save()
    try await opened.store.close()
    try await StoreMaintenance.erase([Erasure(of: photo.id.any, ["name"])], in: opened.path)
    XCTAssertFalse(try isAnywhere(Self.secret, in: opened.path))
    try opened.open()
    let past = try await opened.store.context(at: first).object(photo.id).original.bytes(in: opened.store)
    XCTAssertEqual(past, bytes("past"))
    let problems = try await StoreMaintenance.verify(opened.store).problems
    XCTAssertEqual(problems, [])
    try await opened.store.close()
  }
}
