import RepriseCore
import Workload

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A large value, in and out by stream, and the same bytes into a file.
@MainActor struct Blobs {
  let path: String
  private nonisolated static let chunks = 400
  private nonisolated static let chunkSize = 1 << 18

  /// Bytes that no earlier run had: equal ones would be stored once.
  private struct Source: AsyncSequence, AsyncIteratorProtocol {
    var left = Blobs.chunks
    var piece: [UInt8]

    init() {
      var random = FreshRandom()
      piece = (0..<Blobs.chunkSize).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    mutating func next() async -> [UInt8]? {
      if left == 0 { return nil }
      left -= 1
      piece[0] = UInt8(truncatingIfNeeded: left)
      return piece
    }

    func makeAsyncIterator() -> Source { self }
  }

  func run(_ command: String) async throws {
    switch command {
    case "value-in":
      let store = try await Store.open(path, for: Schema(Picture.self))
      _ = try await fill(store, isTimed: true)
      try await store.close()
    case "value-out":
      let store = try await Store.open(path, for: Schema(Picture.self))
      let blob = try await fill(store, isTimed: false)
      let began = Bench.now()
      var count = 0
      for try await chunk in blob.chunks(in: store) { count += chunk.count }
      put(count, since: began)
      try await store.close()
    default: try await writeFile()
    }
  }

  /// Durable, and kept by a saved object.
  private func fill(_ store: Store, isTimed: Bool) async throws -> Blob {
    let source = Source()
    let began = Bench.now()
    let context = RootContext(store)
    let picture = context.insert(Picture())
    picture.content = try await Blob(chunks: source, in: store)
    try await context.save("Picture")
    if isTimed { put(picture.content.byteCount, since: began) }
    return picture.content
  }

  private func writeFile() async throws {
    let source = Source()
    let began = Bench.now()
    let file = open(path + ".plain", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var count = 0
    for await piece in source { count += piece.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } }
    guard fsync(file) == 0, count == Self.chunks * Self.chunkSize else { throw BenchmarkError("The disk is full.") }
    close(file)
    put(count, since: began)
  }

  private func put(_ bytes: Int, since began: Int) {
    Bench.put("bytes", bytes)
    Bench.put("elapsed", Bench.now() - began)
  }
}

final class Picture: PersistentModel {
  static let entity = Entity(Picture.self, name: "Picture", properties: [.attribute("content", Blob.self)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(Picture.entity) }

  var content: Blob {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = Picture
    init(_ path: FieldPath) {}
  }

  var snapshot: Picture.ID { id }
}
