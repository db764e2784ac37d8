import RepriseLog
import RepriseObjectModel
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A few bytes that a scene's owner stores beside the journals: the state of its launch, or its preview.
///
/// A journal is unsuitable. The cause of a crash must be known even if the launch wrote nothing else, and a preview
/// must be readable before the store is open. The file is written in place and never flushed. So a note costs one
/// system call, and survives the process from then on. A power cut may lose it, or leave an older one.
///
/// The short notes of all launches share one file, so that a process of many scenes needs one descriptor. Any other
/// note has a file: size of the note u32, CRC-32C u32, note. Any bytes after it belong to longer notes from before.
///
/// A file that somebody else has or may write is not read, and makes room for one of this user's.
package final class SceneNote: Sendable {
  let folder: JournalFolder
  private let ownPath: String
  let hash: [UInt8]
  /// The file that the launches of all scenes share. `nil` for that file, and for a preview.
  let shared: SceneNote?
  private let forkGeneration = ForkGuard.current()
  private let file = Guarded<File>((-1, false, -1))

  /// `slot` is the place of the scene's slot in the shared file, or -1 if it is not known. A tuple, because each start
  /// would pay for the metadata of another type.
  private typealias File = (descriptor: Int32, isRefused: Bool, slot: Int)

  /// In bytes.
  package static let longest = 1 << 23
  static let header = 8

  /// A preview.
  init(previewOf scene: JournalTopic, in folder: JournalFolder) {
    (self.folder, hash, shared) = (folder, scene.hash, nil)
    ownPath = folder.path(ofScene: scene, suffix: ".preview")
  }

  /// The note of a launch.
  init(launchOf scene: JournalTopic, in shared: SceneNote) {
    (folder, hash, self.shared) = (shared.folder, scene.hash, shared)
    ownPath = folder.path(ofScene: scene, suffix: ".scene")
  }

  /// The file that the launches of all scenes share.
  init(launchesIn folder: JournalFolder) {
    (self.folder, hash, shared, ownPath) = (folder, [], nil, "")
  }

  /// Each user of a store has a shared file, because only its user may read or write it.
  private var path: String { hash.isEmpty ? folder.path("launches-\(geteuid())") : ownPath }

  /// The notes of a scene of the store at a path, which need not be open: the state of its launch, and its preview.
  package static func launch(of scene: String, at store: String) -> SceneNote {
    SceneNote(launchOf: .scene(scene), in: SceneNote(launchesIn: JournalFolder(path: store + "/journals")))
  }

  package static func preview(of scene: String, at store: String) -> SceneNote {
    SceneNote(previewOf: .scene(scene), in: JournalFolder(path: store + "/journals"))
  }

  deinit {
    let descriptor = file.withLock { $0.descriptor }
    if descriptor >= 0 { systemClose(descriptor) }
  }

  /// The last note. `nil` if there is none, or it is damaged.
  package func read() -> [UInt8]? {
    let bytes: [UInt8]? = file.withLock { file in
      if let shared {
        let slot = shared.find(hash)
        (file.slot, file.isRefused) = (slot.place, shared.isRefused)
        if !slot.isElsewhere { return slot.bytes }
      }
      if file.descriptor < 0 { open(&file) }
      guard file.descriptor >= 0 else { return nil }
      return contents(file.descriptor)
    }
    guard let bytes, bytes.count >= Self.header else { return nil }
    return bytes.withUnsafeBytes { all in
      let size = Int(UInt32(littleEndian: all.loadUnaligned(as: UInt32.self)))
      guard size <= all.count - Self.header else { return nil }
      let note = UnsafeRawBufferPointer(rebasing: all[Self.header..<Self.header + size])
      let sum = UInt32(littleEndian: all.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
      return Checksum.crc32c(note) == sum ? [UInt8](note) : nil
    }
  }

  /// Replaces the note. Callable from any thread.
  ///
  /// - Returns: Whether it was written. If not, the next launch knows less.
  @discardableResult
  package func write(_ note: [UInt8]) -> Bool {
    // A forked child would overwrite the note of its parent's launch.
    guard ForkGuard.generation.load(ordering: .relaxed) == forkGeneration else { return false }
    guard note.count <= Self.longest, !folder.isOnlyRead else { return false }
    var writer = ByteWriter(reserving: note.count + Self.header)
    writer.fixed(UInt32(note.count))
    writer.fixed(note.withUnsafeBytes { Checksum.crc32c($0) })
    writer.append(note)
    let bytes = writer.bytes
    return file.withLock { file in
      guard let shared else { return write(bytes, to: &file) }
      if bytes.count <= Self.slotRoom { return shared.put(bytes, of: hash, at: &file.slot) }
      // First the long note: until then, the slot keeps the former one.
      return write(bytes, to: &file) && shared.put(Self.elsewhere, of: hash, at: &file.slot)
    }
  }

  private func write(_ bytes: [UInt8], to file: inout File) -> Bool {
    openToWrite(&file)
    return file.descriptor >= 0
      && bytes.withUnsafeBytes { pwrite(file.descriptor, $0.baseAddress, $0.count, 0) == $0.count }
  }

  @inline(never)
  private func openToWrite(_ file: inout File) {
    if file.descriptor < 0 { open(&file) }
    if file.descriptor >= 0 { return }
    if file.isRefused { unlink(path) }
    file.descriptor = create()
    if file.descriptor >= 0 { file.isRefused = false }
  }

  /// Calls `body` with the file. The descriptor is negative without a file, and for a refused one.
  func withFile<Result: Sendable>(toWrite: Bool, _ body: (Int32) -> Result) -> Result {
    file.withLock { file in
      if toWrite { openToWrite(&file) } else if file.descriptor < 0 { open(&file) }
      return body(file.descriptor)
    }
  }

  /// Whether a read found a file that belongs to another user, or that another user may write.
  package var isRefused: Bool { file.withLock { $0.isRefused } }

  @inline(never)
  private func open(_ file: inout File) {
    let access = folder.isOnlyRead ? O_RDONLY : O_RDWR
    let descriptor = systemOpen(path, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    var status = stat()
    if descriptor >= 0, fstat(descriptor, &status) == 0, folder.isTrusted(status) {
      (file.descriptor, file.isRefused) = (descriptor, false)
      return
    }
    let failure = SystemFailure.last
    file.isRefused = descriptor >= 0 || failure.errno != ENOENT && !failure.isPassing
    if descriptor >= 0 { systemClose(descriptor) }
  }

  /// Removes the note: the scene is gone.
  package func remove() {
    guard ForkGuard.generation.load(ordering: .relaxed) == forkGeneration else { return }
    unlink(path)
    shared?.removeSlot(of: hash)
    file.withLock { file in
      if file.descriptor >= 0 { systemClose(file.descriptor) }
      (file.descriptor, file.slot) = (-1, -1)
    }
  }

  @inline(never)
  private func create() -> Int32 {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let made = systemOpen(path, flags, 0o600)
    guard made < 0, SystemFailure.last.errno == ENOENT else { return made }
    mkdir(folder.path, 0o700)
    return systemOpen(path, flags, 0o600)
  }

  private func contents(_ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 512)
    var count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    if count == bytes.count {
      // The file may be longer than the note, which is mostly short.
      let size = bytes.withUnsafeBytes { Int(UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self))) }
      guard size <= Self.longest else { return nil }
      guard size > bytes.count - Self.header else { return bytes }
      var status = stat()
      guard fstat(descriptor, &status) == 0, Int(status.st_size) >= Self.header + size else { return nil }
      bytes = [UInt8](repeating: 0, count: Self.header + size)
      count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    }
    return count < 0 ? nil : Array(bytes[..<count])
  }
}

extension JournalFolder {
  /// The path of a file that belongs to one scene.
  func path(ofScene scene: JournalTopic, suffix: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let name = scene.hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return path(String(decoding: name, as: UTF8.self) + suffix)
  }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) { close(descriptor) }
