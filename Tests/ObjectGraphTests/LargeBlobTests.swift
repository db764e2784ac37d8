import Foundation
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import RepriseTestProcesses
import Synchronization
import XCTest

#if os(Linux)
/// A value that does not fit into the memory that it may take: of a gigabyte in `make check`, else of 64 MB.
@MainActor final class LargeBlobTests: XCTestCase {
  /// How much the process may have more of its own while bytes go in and out.
  private static let memoryLimit = 32 << 20

  private static let byteCount =
    (ProcessInfo.processInfo.environment["REPRISE_BLOB_MEGABYTES"].flatMap(Int.init) ?? 64) << 20

  /// The memory of this process that is no file's, in bytes.
  private nonisolated static func anonymousMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
  }

  /// The most that it ever was, of what was looked at.
  private final class Peak: Sendable {
    private let most = Mutex(0)
    private let first = LargeBlobTests.anonymousMemory()
    func look() { most.withLock { $0 = max($0, LargeBlobTests.anonymousMemory()) } }
    var growth: Int { most.withLock { $0 } - first }
  }

  private final class Flag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  /// Chunks that differ, made when they are asked for.
  private struct Chunks: AsyncSequence, Sendable {
    let byteCount: Int
    let peak: Peak
    static let size = 1 << 20

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    struct Iterator: AsyncIteratorProtocol {
      let chunks: Chunks
      private var chunk = (0..<Chunks.size).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }
      private var number: UInt64 = 0

      init(chunks: Chunks) { self.chunks = chunks }

      mutating func next() async -> [UInt8]? {
        guard number < chunks.byteCount / Chunks.size else { return nil }
        chunk.withUnsafeMutableBytes { $0.storeBytes(of: number.littleEndian, as: UInt64.self) }
        number += 1
        chunks.peak.look()
        return chunk
      }
    }
  }

  /// In a process of its own: what other tests allocate and free in this one would be counted too.
  func testAGigabyteGoesInAndOutInALittleMemory() async throws {
    let child = try ChildProcess(
      test: "RepriseObjectGraphTests.LargeBlobTests/testGoesInAndOutAsAChild", ["REPRISE_LARGE_BLOB": "1"])
    let growth = try XCTUnwrap(child.heard().flatMap { Int($0) }, "the bytes were not the same, or the child failed")
    child.end()
    XCTAssertGreaterThan(growth, 0)
    XCTAssertLessThan(growth, Self.memoryLimit, "\(growth >> 20) MB for \(Self.byteCount >> 20) MB")
  }

  func testGoesInAndOutAsAChild() async throws {
    guard ProcessInfo.processInfo.environment["REPRISE_LARGE_BLOB"] != nil else {
      throw XCTSkip("for a process of its own")
    }
    let test = try TestStore(Schema(Photo.self), cleaningDelay: 0)
    let copy = NSTemporaryDirectory() + "reprise-large-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let peak = Peak()
    let chunks = Chunks(byteCount: Self.byteCount, peak: peak)
    let blob = try await Blob(chunks: chunks, in: test.store)
    XCTAssertEqual(blob.byteCount, Self.byteCount)
    let context = RootContext(test.store)
    let photo = context.insert(Photo(name: "large", original: blob))
    try await context.save("Add it")
    peak.look()

    // Out as a stream, next to the same bytes made again.
    var expected = Chunks(byteCount: Self.byteCount, peak: peak).makeAsyncIterator()
    var left: ArraySlice<UInt8> = []
    for try await chunk in photo.original.chunks(in: test.store) {
      if left.isEmpty { left = await expected.next()?[...] ?? [] }
      XCTAssertTrue(chunk.count <= left.count && left.prefix(chunk.count).elementsEqualBytes(chunk))
      left = left.dropFirst(chunk.count)
    }
    let end = await expected.next()
    XCTAssertNil(end)
    XCTAssertTrue(left.isEmpty)

    // And into a file, which another program reads.
    let isWritten = Flag()
    let written = Task.detached { [store = test.store] in
      defer { isWritten.isSet = true }
      try await blob.write(to: copy, in: store)
    }
    while !isWritten.isSet {
      peak.look()
      try await Task.sleep(for: .milliseconds(5))
    }
    try await written.value
    XCTAssertEqual(try digest(copy), blob.sha256)
    try await test.store.close()
    if testRun?.totalFailureCount == 0 { ChildProcess.say("\(peak.growth)") }
  }

  /// By the system's own program.
  private func digest(_ path: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sha256sum", path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return String(text.prefix { $0 != " " })
  }
}

extension ArraySlice<UInt8> {
  /// In one call of the system's: unoptimised, an element at a time takes minutes.
  fileprivate func elementsEqualBytes(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        guard let first = one.baseAddress, let second = other.baseAddress else { return one.count == other.count }
        return one.count == other.count && memcmp(first, second, one.count) == 0
      }
    }
  }
}
#endif
