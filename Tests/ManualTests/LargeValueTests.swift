#if Macros
import Foundation
import Reprise
import RepriseTesting
import XCTest

@Model final class Photo {
  var title: String
  var original: Blob
  @Attribute(.byteCount(...200_000)) var thumbnail: Blob?

  init(_ title: String, original: Blob) {
    self.title = title
    self.original = original
  }
}

final class LargeValueTests: ManualTestCase {
  func testAPhotoGoesInAndOut() async throws {
    let temporary = try await TemporaryStore(for: Photo.self)
    let store = temporary.store
    let context = store.mainContext
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("reprise-\(UUID().uuidString)")
    let copy = file.appendingPathExtension("copy")
    defer { for url in [file, copy] { try? FileManager.default.removeItem(at: url) } }
    let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    try content.write(to: file)
    let thumbnail = [UInt8](repeating: 1, count: 100)

    let original = try await Blob(contentsOf: file, in: store)
    let photo = context.insert(Photo("Harbour", original: original))
    photo.thumbnail = try await Blob(thumbnail, in: store)
    try await context.save("Import")

    var count = 0
    let bytes = try await photo.thumbnail?.bytes(in: store)
    let header = try await photo.original.bytes(0..<16, in: store)
    for try await chunk in photo.original.chunks(in: store) { count += chunk.count }
    try await photo.original.write(to: copy, in: store)

    XCTAssertEqual(bytes, thumbnail)
    XCTAssertEqual(header, [UInt8](content.prefix(16)))
    XCTAssertEqual(count, content.count)
    XCTAssertEqual(try Data(contentsOf: copy), content)
    let whole = try await photo.original.data(in: store)
    XCTAssertEqual(whole, content)
  }
}
#endif
