import Foundation

/// Stores that workers have built, kept for the next run: one folder for each worker, shape and build of the worker.
final class StoreCache {
  let folder: String
  private let workers: Workers
  private let keepsOld: Bool
  private var digests: [String: String] = [:]
  private var scratches = 0

  /// `keepsOld`: takes stores that another build of the worker has left.
  init(folder: String, workers: Workers, keepsOld: Bool) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Its real path: a trace names files by theirs.
    self.folder = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    self.workers = workers
    self.keepsOld = keepsOld
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix(Self.scratchPrefix) {
      try FileManager.default.removeItem(atPath: folder + "/" + name)
    }
  }

  /// The path of the peer's store, which is built if it is not there.
  func store(_ shape: StoreShape, of peer: Peer) throws -> String {
    guard peer.hasStore else { return folder }
    let content = shape.content == .items ? "" : "\(shape.content)-"
    let name = "\(peer.rawValue)-\(content)\(shape.objects)-\(shape.events)-"
    let existing = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasPrefix(name) && !$0.hasSuffix(Self.unfinished) }
    let wanted = try name + digest(of: peer)
    if let found = existing.first(where: { $0 == wanted || keepsOld }) { return "\(folder)/\(found)/store" }
    for old in existing { try FileManager.default.removeItem(atPath: folder + "/" + old) }

    let path = folder + "/" + wanted
    try build(shape, of: peer, at: path + Self.unfinished)
    try FileManager.default.moveItem(atPath: path + Self.unfinished, toPath: path)
    return path + "/store"
  }

  /// A place for a store that the caller may change and has to remove.
  func scratch() throws -> ScratchStore {
    scratches += 1
    return try ScratchStore(folder: "\(folder)/\(Self.scratchPrefix)\(scratches)")
  }

  /// A copy of the peer's store, with what its killed process left behind.
  func copy(_ shape: StoreShape, of peer: Peer) throws -> ScratchStore {
    let original = try store(shape, of: peer)
    let scratch = try scratch()
    try FileManager.default.copyItem(atPath: original, toPath: scratch.path)
    return scratch
  }

  private func build(_ shape: StoreShape, of peer: Peer, at path: String) throws {
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let began = Clock.now()
    Progress.begin("store of \(peer.rawValue), \(shape.objects) \(shape.content), \(shape.events) events")
    let built: WorkerOutput
    do {
      built = try workers.worker(of: peer, .dynamic).run(
        shape.content.rawValue, path + "/store",
        ["objects=\(shape.objects)", "events=\(shape.events)", "batch=10000"], deadline: 14_400
      ).output
    } catch {
      Progress.end("\(error)")
      try? FileManager.default.removeItem(atPath: path)
      throw error
    }
    Progress.end("\((Clock.now() - began) / 1_000_000) ms")
    guard try built.one("objects") == shape.objects, try built.one("events") == shape.events else {
      throw BenchmarkError.failed("the store has another shape than was asked for")
    }
  }

  private func digest(of peer: Peer) throws -> String {
    let path = try workers.worker(of: peer, .dynamic).path
    if let known = digests[path] { return known }
    let digest = String(try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped).fnv1a, radix: 16)
    digests[path] = digest
    return digest
  }

  private static let unfinished = ".part"
  private static let scratchPrefix = "scratch-"
}

/// A store to be changed, removed with its last owner.
final class ScratchStore {
  private let folder: String
  var path: String { folder + "/store" }

  init(folder: String) throws {
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}

extension Data {
  /// Tells builds of a program apart; no more is asked of it.
  fileprivate var fnv1a: UInt64 {
    reduce(into: 0xCBF2_9CE4_8422_2325) { hash, byte in hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}
