import Foundation
import RepriseLMDB
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

/// Large values: bytes beside the objects, which stay as long as anything refers to them.
@MainActor
final class BlobTests: XCTestCase {
  private var test: TestStore!
  private var made: [String] = []

  override func setUp() async throws { test = try TestStore(Schema(Photo.self), cleaningDelay: 0) }

  override func tearDown() async throws { for path in made { try? FileManager.default.removeItem(atPath: path) } }

  private func newPath() -> String {
    made.append(NSTemporaryDirectory() + "reprise-blob-\(UUID().uuidString)")
    return made[made.count - 1]
  }

  /// Bytes that differ everywhere.
  private func bytes(_ count: Int, _ seed: UInt8 = 1) -> [UInt8] {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
  }

  /// Several slices, and a part of a chunk.
  private let large = 2 * BlobUpload.sliceSize + 12_345

  private func rows(_ store: Store? = nil) throws -> (chunks: Int, whole: Int, unused: Int, abandoned: Int) {
    let store = store ?? test.store
    let transaction = try store.environment.beginRead()
    var counts = [Int](repeating: 0, count: 4)
    var cursor = try transaction.view.cursor(store.tables.blobs.table(transaction.view))
    var entry = try cursor.first()
    while let found = entry {
      counts[Int(found.key.withUnsafeBytes { $0[0] })] += 1
      entry = try cursor.next()
    }
    return (counts[0], counts[1], counts[2], counts[3])
  }

  private func assertRows(
    _ chunks: Int, _ whole: Int, _ unused: Int, _ abandoned: Int, line: UInt = #line
  ) throws {
    let found = try rows()
    XCTAssertEqual(
      [found.chunks, found.whole, found.unused, found.abandoned], [chunks, whole, unused, abandoned],
      "chunks, whole, unused, abandoned", line: line)
  }

  /// A blob may be decoded from any JSON.
  func testABlobOfAnyLengthThatIsNotThereIsMissing() async throws {
    for length in [1 << 20, Blob.longest] {
      let blob = Blob(byteCount: length, words: (1, 2, 3, 4))
      do {
        _ = try await blob.bytes(in: test.store)
        XCTFail("read")
      } catch BlobError.missing(let missing) {
        XCTAssertEqual(missing, blob)
      }
    }
  }

  private func assertSound(_ store: Store? = nil, line: UInt = #line) async throws {
    let report = try await StoreMaintenance.verify(store ?? test.store)
    XCTAssertEqual(report.problems, [], line: line)
  }

  private func failure(_ body: () async throws -> Void) async -> (any Error)? {
    do {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  /// Closes the store and opens it, and waits until what nobody needs is gone.
  private func reopen() async throws {
    try await test.store.close()
    try test.open()
    try? await test.store.cleaning.wait()
  }

  private func kill() async throws {
    await test.store.abandon()
    try test.open()
  }

  private func saved(_ blob: Blob, name: String = "photo") async throws -> Photo.ID {
    let context = RootContext(test.store)
    let photo = context.insert(Photo(name: name, original: blob))
    try await context.save("Add \(name)")
    return photo.id
  }

  // MARK: In and out

  func testBytesComeBackWholeInPartsAndAsAStream() async throws {
    for count in [1, BlobTable.chunkSize, BlobTable.chunkSize + 1, BlobUpload.sliceSize, large] {
      let bytes = bytes(count)
      let blob = try await Blob(bytes, in: test.store)
      XCTAssertEqual(blob.byteCount, count)
      XCTAssertEqual(blob.sha256, bytes.withUnsafeBytes { SHA256.digest($0) }.description)
      let whole = try await blob.bytes(in: test.store)
      XCTAssertTrue(whole == bytes)
      for range in [0..<0, 0..<1, count - 1..<count, count / 3..<count / 2, count..<count] {
        let part = try await blob.bytes(range, in: test.store)
        XCTAssertTrue(part[...] == bytes[range], "\(range)")
      }
      for offset in [0, count / 2, count, count + 1] {
        var streamed: [UInt8] = []
        for try await chunk in blob.chunks(from: offset, in: test.store) { streamed += chunk }
        XCTAssertTrue(streamed[...] == bytes.dropFirst(offset), "from \(offset)")
      }
    }
    let out = await failure { _ = try await Blob(bytes(9), in: self.test.store).bytes(3..<10, in: self.test.store) }
    guard case .outOfBounds(3..<10, _) = out as? BlobError else { return XCTFail("\(String(describing: out))") }
  }

  func testFilesAndStreamsGoInAndOut() async throws {
    let (bytes, path, copy) = (bytes(large), newPath(), newPath())
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let blob = try await Blob(contentsOf: path, in: test.store)
    try await blob.write(to: copy, in: test.store)
    XCTAssertTrue(try [UInt8](Data(contentsOf: URL(fileURLWithPath: copy))) == bytes)
    let chunks = AsyncStream<ArraySlice<UInt8>> { stream in
      for start in stride(from: 0, to: bytes.count, by: 70_001) {
        stream.yield(bytes[start..<min(start + 70_001, bytes.count)])
      }
      stream.finish()
    }
    let streamed = try await Blob(chunks: chunks, in: test.store)
    XCTAssertEqual(streamed, blob)
    try assertRows((large + BlobTable.chunkSize - 1) / BlobTable.chunkSize, 1, 1, 0)
    let missing = await failure { _ = try await Blob(contentsOf: copy + "-not", in: self.test.store) }
    guard case .file(let found, "open", 2, _) = missing as? BlobError else { return XCTFail("\(missing as Any)") }
    XCTAssertEqual(found, copy + "-not")
  }

  func testNoBytesNeedNoRows() async throws {
    let blob = try await Blob([], in: test.store)
    XCTAssertEqual(blob, .empty)
    XCTAssertEqual(blob.sha256, [].withUnsafeBytes { SHA256.digest($0) }.description)
    let found = try await blob.bytes(in: test.store)
    XCTAssertEqual(found, [])
    _ = try await saved(blob)
    try assertRows(0, 0, 0, 0)
    try await assertSound()
  }

  func testEqualBytesAreStoredOnce() async throws {
    let first = try await Blob(bytes(large), in: test.store)
    _ = try await saved(first)
    let before = try rows()
    let second = try await Blob(bytes(large), in: test.store)
    XCTAssertEqual(first, second)
    XCTAssertTrue(try rows() == before)
  }

  func testAStreamThatFailsOrIsCancelledLeavesNothing() async throws {
    struct Torn: Error {}
    let bytes = bytes(large)
    let torn = AsyncThrowingStream<[UInt8], any Error> { stream in
      stream.yield(bytes)
      stream.finish(throwing: Torn())
    }
    let failed = await failure { _ = try await Blob(chunks: torn, in: self.test.store) }
    XCTAssertTrue(failed is Torn)
    let store = test.store
    let task = Task {
      try await Blob(
        chunks: AsyncStream<[UInt8]> { stream in
          stream.yield(bytes)
          withUnsafeCurrentTask { $0?.cancel() }
          stream.yield(bytes)
          stream.finish()
        }, in: store)
    }
    let cancelled = await failure { _ = try await task.value }
    XCTAssertTrue(cancelled is CancellationError)
    try assertRows(0, 0, 0, 0)
  }

  func testTheMapGrowsWithTheBytes() async throws {
    let path = newPath()
    var options = StoreOptions()
    options.isUnflushed = true
    options.mapSize = 1 << 20
    let store = try Store.openNow(path, for: Schema(Photo.self), options)
    let blob = try await Blob(bytes(5 << 20), in: store)
    let found = try await blob.bytes(in: store)
    XCTAssertTrue(found == bytes(5 << 20))
    try await store.close()
  }

  // MARK: What stays

  func testASavedBlobStaysAndAnUnusedOneGoesWithItsProcess() async throws {
    let kept = try await Blob(bytes(large), in: test.store)
    let unused = try await Blob(bytes(5_000, 2), in: test.store)
    let id = try await saved(kept)
    try assertRows(513 * 2 + 5 + 3, 2, 1, 0)
    try await reopen()
    let photo = try RootContext(test.store).object(id)
    let found = try await photo.original.bytes(in: test.store)
    XCTAssertTrue(found == bytes(large))
    XCTAssertEqual(try rows().unused, 0)
    XCTAssertEqual(try rows().whole, 1)
    let gone = await failure { _ = try await unused.bytes(in: self.test.store) }
    guard case .missing(unused) = gone as? BlobError else { return XCTFail("\(gone as Any)") }
    try await assertSound()
  }

  func testWhatAKillLeavesOfAnUploadIsRemoved() async throws {
    let upload = try await BlobUpload(in: test.store)
    try await upload.append(bytes(large))
    try await upload.written()
    try assertRows(512, 0, 0, 1)
    try await kill()
    try? await test.store.cleaning.wait()
    try assertRows(0, 0, 0, 0)
  }

  func testAnUploadOfAnotherProcessIsLeftAlone() async throws {
    let other = BlobClaims(path: test.path + "/data.mdb")
    let upload = try await BlobUpload(in: test.store)
    try await upload.append(bytes(large))
    try await upload.written()
    let blob = try await Blob(bytes(9), in: test.store)
    let table = try BlobTable(test.store.opened(test.store.tables.blobs))
    do {
      let transaction = try test.store.environment.beginRead()
      for id in try table.abandoned(transaction.view) { XCTAssertTrue(try other.hold(.upload(id))) }
    }
    XCTAssertTrue(try other.hold(.blob(blob.digest)))
    try await reopen()
    try assertRows(513, 1, 1, 1)
    other.close()
    try await reopen()
    try assertRows(0, 0, 0, 0)
  }

  func testAProcessDoesNotHoldWhatItIsAboutToRemove() async throws {
    let claims = test.store.blobClaims
    let blob = BlobClaims.Subject.blob(try await Blob(bytes(9), in: test.store).digest)
    claims.release(blob)
    try claims.whileUnheld([blob]) { free in
      XCTAssertEqual(free.count, 1)
      XCTAssertFalse(try claims.hold(blob))
      claims.whileUnheld([blob]) { XCTAssertTrue($0.isEmpty) }
    }
    XCTAssertTrue(try claims.hold(blob))
    claims.whileUnheld([blob]) { XCTAssertTrue($0.isEmpty) }
  }

  func testABlobIsBroughtInAlsoWhileAnotherProcessIsAboutToRemoveIt() async throws {
    let table = try BlobTable(test.store.opened(test.store.tables.blobs))
    let blob = try await Blob(bytes(large), in: test.store)
    test.store.blobClaims.release(.blob(blob.digest))
    let other = BlobClaims(path: test.path + "/data.mdb")
    defer { other.close() }
    let (isAbout, mayRemove) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let environment = test.store.environment
    let removal = Task.detached {
      other.whileUnheld([.blob(blob.digest)]) { free in
        XCTAssertEqual(free.count, 1)
        isAbout.signal()
        mayRemove.wait()
        try? environment.write { (transaction) throws(StorageError) in
          if let entry = try table.entry(of: blob.digest, transaction.view) {
            try table.forget(blob.digest, entry, transaction)
          }
        }
      }
    }
    isAbout.wait()
    let upload = Task { [store = test.store, bytes = bytes(large)] in try await Blob(bytes, in: store) }
    // Long enough for it to come in, were it not to wait.
    try await Task.sleep(for: .milliseconds(100))
    mayRemove.signal()
    await removal.value
    let again = try await upload.value
    let id = try await saved(again)
    let found = try await RootContext(test.store).object(id).original.bytes(in: test.store)
    XCTAssertTrue(found == bytes(large))
    try await assertSound()
  }

  func testABlobThatADraftHasOutlivesAKillUntilTheDraftIsDiscarded() async throws {
    let id = try await saved(.empty)
    let blob = try await Blob(bytes(5_000), in: test.store)
    do {
      let context = try RootContext(test.store, draft: "editor")
      try context.object(id).original = blob
      try test.store.journal.flush()
    }
    try await kill()
    try? await test.store.cleaning.wait()
    // From the journal that was taken over, and then from the tables.
    for _ in 0..<2 {
      let context = try RootContext(test.store, draft: "editor")
      XCTAssertEqual(try context.object(id).original, blob)
      let found = try await blob.bytes(in: test.store)
      XCTAssertTrue(found == bytes(5_000))
      try await reopen()
    }
    try assertRows(3, 1, 1, 0)
    try test.store.drafts.discard("editor")
    try await reopen()
    try assertRows(0, 0, 0, 0)
  }

  func testASaveRefusesABlobThatTheStoreDoesNotHave() async throws {
    let other = try TestStore(Schema(Photo.self))
    let blob = try await Blob(bytes(100), in: other.store)
    let context = RootContext(test.store)
    let photo = context.insert(Photo(name: "stranger", original: blob))
    let refused = await failure { try await context.save("Add") }
    guard case .refused(let refusal) = refused as? SaveError else { return XCTFail("\(refused as Any)") }
    XCTAssertEqual(refusal.invalidValues.map(\.reason), [.missingBlob])
    XCTAssertEqual(refusal.invalidValues.map(\.property), ["original"])
    XCTAssertEqual(refusal.invalidValues.map(\.object), [photo.id.any])
    photo.original = try await Blob(bytes(100), in: test.store)
    try await context.save("Add")
    photo.thumbnail = try await Blob(bytes(200), in: other.store)
    let again = await failure { try await context.save("Change") }
    guard case .refused = again as? SaveError else { return XCTFail("\(again as Any)") }
  }

  func testThePastAndUndoKeepWhatWasReplaced() async throws {
    let (first, second) = (
      try await Blob(bytes(3_000, 1), in: test.store), try await Blob(bytes(3_000, 2), in: test.store)
    )
    let context = RootContext(test.store, author: "Ada")
    context.undoesSaves = true
    let photo = context.insert(Photo(name: "photo", original: first))
    let added = try await context.save("Add")
    photo.original = second
    try await context.save("Replace")
    context.delete(photo)
    try await context.save("Delete")
    try await reopen()
    let past = try test.store.context(at: added)
    let then = try await past.object(photo.id).original.bytes(in: test.store)
    XCTAssertTrue(then == bytes(3_000, 1))
    let later = RootContext(test.store, author: "Ada")
    later.undoesSaves = true
    later.undo()
    later.undo()
    try await later.save("Undo")
    let now = try await later.object(photo.id).original.bytes(in: test.store)
    XCTAssertTrue(now == bytes(3_000, 1))
    try await assertSound()
  }

  func testChildrenAndConflictsHaveTheNameAlone() async throws {
    let id = try await saved(try await Blob(bytes(10), in: test.store))
    let (mine, theirs) = (try await Blob(bytes(11), in: test.store), try await Blob(bytes(12), in: test.store))
    let context = RootContext(test.store)
    let child = context.makeChild()
    try child.object(id).original = mine
    try child.save("Mine")
    let other = RootContext(test.store)
    try other.object(id).original = theirs
    try await other.save("Theirs")
    let refused = await failure { try await context.save("Mine") }
    guard case .refused(let refusal) = refused as? SaveError else { return XCTFail("\(refused as Any)") }
    XCTAssertEqual(refusal.conflicts.map(\.mine), [.blob(mine)])
    XCTAssertEqual(refusal.conflicts.map(\.theirs), [.blob(theirs)])
    context.mergePolicy = .mine
    try await context.save("Mine")
    try await reopen()
    let found = try await RootContext(test.store).object(id).original.bytes(in: test.store)
    XCTAssertTrue(found == bytes(11))
  }

  // MARK: As other values

  func testFetchesFindThePhotosWithAThumbnail() async throws {
    let (one, two) = (try await Blob(bytes(10), in: test.store), try await Blob(bytes(20), in: test.store))
    let context = RootContext(test.store)
    for (name, blob) in [("a", one), ("b", nil), ("c", two), ("d", one)] as [(String, Blob?)] {
      context.insert(Photo(name: name)).thumbnail = blob
    }
    for _ in 0..<2 {
      XCTAssertEqual(try context.fetch(Fetch<Photo> { $0.thumbnail == one }).map(\.name).sorted(), ["a", "d"])
      XCTAssertEqual(try context.fetch(Fetch<Photo> { $0.thumbnail == nil }).map(\.name), ["b"])
      try await context.save("Add")
    }
    try await assertSound()
  }

  func testALengthThatARuleForbidsIsRefused() async throws {
    let context = RootContext(test.store)
    let photo = context.insert(Photo(name: "huge"))
    photo.thumbnail = try await Blob(bytes(100_001), in: test.store)
    let refused = await failure { try await context.save("Add") }
    guard case .refused(let refusal) = refused as? SaveError else { return XCTFail("\(refused as Any)") }
    XCTAssertEqual(refusal.violations.map(\.rule), [.length("1...100000")])
  }

  func testNamesGoThroughJSON() async throws {
    let blob = try await Blob(bytes(10), in: test.store)
    let json = try JSONEncoder().encode(blob)
    XCTAssertEqual(try JSONDecoder().decode(Blob.self, from: json), blob)
    let value = PropertyValue.blob(blob)
    XCTAssertEqual(try JSONDecoder().decode(PropertyValue.self, from: JSONEncoder().encode(value)), value)
    for wrong in [
      #"{"byteCount":-1,"sha256":"\#(blob.sha256)"}"#, #"{"byteCount":1,"sha256":"abc"}"#,
      #"{"byteCount":1,"sha256":"+\#(blob.sha256.dropFirst())"}"#, #"{"sha256":"\#(blob.sha256)"}"#,
    ] {
      XCTAssertThrowsError(try JSONDecoder().decode(Blob.self, from: Data(wrong.utf8)), wrong)
    }
  }

  // MARK: Damage and copies

  private func damageChunk(_ chunk: Int, of blob: Blob, by change: ([UInt8]) -> [UInt8]?) throws {
    let table = try BlobTable(test.store.opened(test.store.tables.blobs))
    try test.store.environment.write { (transaction) throws(StorageError) in
      guard let entry = try table.entry(of: blob.digest, transaction.view) else { return }
      let key = BlobTable.key(entry.upload, chunk: chunk)
      guard let row = try transaction.view.get(table.table, key: key.span.bytes) else { return }
      if let value = change(row.withUnsafeBytes { [UInt8]($0) }) {
        try transaction.put(table.table, key: key.span.bytes, value: value.span.bytes)
      } else {
        try transaction.delete(table.table, key: key.span.bytes)
      }
    }
  }

  func testDamageCostsTheChunkAndIsFound() async throws {
    let blob = try await Blob(bytes(100_000), in: test.store)
    let id = try await saved(blob)
    for change in [{ $0.dropLast() + [$0.last! ^ 1] }, { _ in [] }, { _ in nil }] as [([UInt8]) -> [UInt8]?] {
      try damageChunk(3, of: blob, by: change)
      let read = await failure { _ = try await blob.bytes(in: self.test.store) }
      guard case .damaged(blob, _) = read as? BlobError else { return XCTFail("\(read as Any)") }
      let rest = try await blob.bytes(10_000..<100_000, in: test.store)
      XCTAssertTrue(rest[...] == bytes(100_000)[10_000...])
      XCTAssertEqual(try RootContext(test.store).object(id).name, "photo")
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertEqual(report.problems.count, 1, "\(report)")
    }
  }

  func testABlobWhoseBytesAreOthersIsFound() async throws {
    let blob = try await Blob(bytes(100), in: test.store)
    _ = try await saved(blob)
    try damageChunk(0, of: blob) { _ in self.bytes(100, 2).withUnsafeBytes { ValueChunk.encoded($0) } }
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems.count, 1, "\(report)")
    XCTAssertEqual(report.blobs, 1)
  }

  func testABlobThatIsGoneIsFound() async throws {
    let blob = try await Blob(bytes(100), in: test.store)
    _ = try await saved(blob)
    try test.store.environment.write { (transaction) throws(StorageError) in
      let key = BlobTable.key(.whole, blob.digest)
      try transaction.delete(test.store.tables.blobs.table(transaction.view), key: key.span.bytes)
    }
    let read = await failure { _ = try await blob.bytes(in: self.test.store) }
    guard case .missing(blob) = read as? BlobError else { return XCTFail("\(read as Any)") }
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems.first, "The log refers to the \(blob), which the store does not have.")
    // Nothing leads to its chunks any more.
    XCTAssertEqual(report.problems.count, 2, "\(report)")
  }

  func testALostBlobThatIsMadeAgainStays() async throws {
    let blob = try await Blob(bytes(100), in: test.store)
    let id = try await saved(blob)
    let past = try await Blob(bytes(200), in: test.store)
    let other = try await saved(past)
    let context = RootContext(test.store)
    try context.object(other).original = .empty
    try await context.save()
    try test.store.environment.write { (transaction) throws(StorageError) in
      for blob in [blob, past] {
        let key = BlobTable.key(.whole, blob.digest)
        try transaction.delete(test.store.tables.blobs.table(transaction.view), key: key.span.bytes)
      }
    }
    for count in [100, 200, 300] { _ = try await Blob(bytes(count), in: test.store) }
    try await test.store.close()
    for _ in 0..<2 {
      try test.open()
      try await test.store.cleaning.wait()
      let found = try await RootContext(test.store).object(id).original.bytes(in: test.store)
      XCTAssertTrue(found == bytes(100))
      let old = try await past.bytes(in: test.store)
      XCTAssertTrue(old == bytes(200), "a past context shows it")
      XCTAssertEqual(try rows(test.store).unused, 0)
      try await test.store.close()
    }
    try test.open()
  }

  func testBackupsCompactionsAndRebuildsHaveTheBytes() async throws {
    let blob = try await Blob(bytes(large), in: test.store)
    let id = try await saved(blob)
    let backup = newPath()
    try await StoreMaintenance.backup(test.store, to: backup)
    try await test.store.close()
    try await StoreMaintenance.rebuild(test.path)
    try await StoreMaintenance.compact(test.path)
    try test.open()
    var options = StoreOptions()
    options.mapSize = 1 << 36
    let copy = try Store.openNow(backup, for: Schema(Photo.self), options)
    for store in [test.store, copy] {
      let found = try await RootContext(store).object(id).original.bytes(in: store)
      XCTAssertTrue(found == bytes(large))
      try await assertSound(store)
    }
    try await copy.close()
  }

  /// Alters every copy of some bytes in the closed file.
  private func alter(_ bytes: some Collection<UInt8>) throws {
    let file = URL(fileURLWithPath: test.path + "/data.mdb")
    var data = try Data(contentsOf: file)
    var start = data.startIndex
    while let range = data.range(of: Data(bytes), in: start..<data.endIndex) {
      data[range.lowerBound] ^= 1
      start = range.upperBound
    }
    XCTAssertGreaterThan(start, data.startIndex, "there is nothing to damage")
    try data.write(to: file)
  }

  func testASalvageHasWhatIsWholeAndSaysWhatIsNot() async throws {
    let whole = try await Blob(bytes(large), in: test.store)
    let torn = try await Blob(bytes(50_000, 2), in: test.store)
    let unused = try await Blob(bytes(50_000, 3), in: test.store)
    let (first, second) = (try await saved(whole, name: "whole"), try await saved(torn, name: "torn"))
    try await test.store.close()
    try alter(bytes(50_000, 2)[20_000..<20_100])
    let path = newPath()
    let report = try await StoreMaintenance.salvage(test.path, to: path)
    XCTAssertEqual(report.blobs, 2, "\(report)")
    XCTAssertEqual(report.problems, ["The \(torn) is lost, because bytes of it are missing."])
    var options = StoreOptions()
    options.mapSize = 1 << 36
    options.cleaningDelay = 0
    let store = try Store.openNow(path, for: Schema(Photo.self), options)
    try? await store.cleaning.wait()
    let context = RootContext(store)
    let found = try await context.object(first).original.bytes(in: store)
    XCTAssertTrue(found == bytes(large))
    XCTAssertEqual(try context.object(second).name, "torn")
    let lost = await failure { _ = try await torn.bytes(in: store) }
    guard case .missing(torn) = lost as? BlobError else { return XCTFail("\(lost as Any)") }
    let gone = await failure { _ = try await unused.bytes(in: store) }
    guard case .missing(unused) = gone as? BlobError else { return XCTFail("\(gone as Any)") }
    XCTAssertEqual(try rows(store).abandoned, 0)
    let verified = try await StoreMaintenance.verify(store)
    XCTAssertEqual(verified.problems.count, 1, verified.description)
    XCTAssertTrue(verified.problems.allSatisfy { "\($0)".contains(torn.sha256.prefix(8)) }, verified.description)
    try await store.close()
  }

  func testAClosedStoreSaysSo() async throws {
    let blob = try await Blob(bytes(100), in: test.store)
    let store = test.store
    try await store.close()
    for body in [{ _ = try await blob.bytes(in: store) }, { _ = try await Blob([1], in: store) }]
      as [() async throws -> Void]
    {
      let error = await failure(body)
      guard case .store(.closed) = error as? BlobError else { return XCTFail("\(error as Any)") }
    }
  }
}
