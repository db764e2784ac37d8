import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import Synchronization
import XCTest

private final class BytesPhoto: Version {
  static let entity = Entity(
    BytesPhoto.self, name: "Photo",
    properties: [
      .attribute("image", [UInt8].self), .attribute("caption", String?.self), .attribute("number", Int.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class BlobPhoto: Version {
  static let entity = Entity(
    BlobPhoto.self, name: "Photo",
    properties: [.attribute("image", Blob.self), .attribute("caption", Blob?.self), .attribute("number", Int.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Bytes in objects that become blobs beside them.
final class BlobConversionTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private static let plan = MigrationPlan(
    Migration(
      to: 1, "Blobs", .blob("image", of: "Photo", from: [UInt8].self), .blob("caption", of: "Photo", from: String?.self)
    ))

  private static func image(_ number: Int) -> [UInt8] {
    number % 5 == 0 ? [] : [UInt8](repeating: UInt8(number % 7), count: number % 11 == 0 ? 100_000 : number)
  }

  func testBytesBecomeBlobsInSlicesAndEqualOnesAreStoredOnce() async throws {
    var store = try await Store.open(path, for: Schema(BytesPhoto.self))
    var context = RootContext(store)
    for number in 0..<600 {
      let photo = context.insert(BytesPhoto(["image": Self.image(number), "number": number]))
      if number % 3 == 0 { photo["caption"] = .string("caption \(number % 4)") }
    }
    try await context.save()
    try await store.close()
    let steps = Mutex(0)
    store = try await Store.open(path, for: Schema(BlobPhoto.self), migrations: Self.plan) { _ in
      steps.withLock { $0 += 1 }
    }
    context = RootContext(store)
    for photo in try context.fetch(Fetch<BlobPhoto>()) {
      guard case .int(let number) = photo["number"], case .blob(let image) = photo["image"] else {
        return XCTFail("\(photo["image"])")
      }
      let bytes = try await image.bytes(in: store)
      XCTAssertEqual(bytes, Self.image(Int(number)))
      guard number % 3 == 0 else {
        XCTAssertEqual(photo["caption"], .null)
        continue
      }
      guard case .blob(let caption) = photo["caption"] else { return XCTFail("\(photo["caption"])") }
      let text = try await caption.bytes(in: store)
      XCTAssertEqual(text, Array("caption \(number % 4)".utf8))
    }
    let report = try await StoreMaintenance.verify(store)
    XCTAssertEqual(report.problems, [])
    XCTAssertGreaterThan(report.blobs, 4)
    try await store.close()
    store = try await Store.open(path, for: Schema(BlobPhoto.self), migrations: Self.plan)
    try await assertSound(store)
    try await store.close()
  }
}
