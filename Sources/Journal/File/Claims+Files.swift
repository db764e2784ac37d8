import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The claims of a process with many of them, in 64 files. So the locks of each file stay few.
///
/// Such a process has one shared lock on the bytes of all drafts and scenes in the environment's file. No other process
/// can then take a claim there: it finds the lock, and uses the files, too. The process gets the lock only while no
/// other process has a claim in the environment's file. Until then it leaves its claims there.
extension Claims {
  /// The most claims in the environment's file.
  static var few: Int { 32 }
  private static var fileCount: Int { 64 }

  /// Locks the bytes of a topic. False if another process has them.
  func lock(_ topic: JournalTopic, _ state: inout State) throws(SystemFailure) -> Bool {
    if state.files.isEmpty, state.claims.count >= state.limit {
      // A try costs a call for each claim, so the tries become rare.
      state.limit *= 2
      _ = try? enterFiles(&state)
    }
    let place = Self.place(of: topic)
    while state.files.isEmpty {
      if try ByteLock.take(.exclusive, ByteLock.places(from: place), of: state.descriptor) { return true }
      guard let lock = ByteLock.lock(on: place, of: state.descriptor) else { continue }
      guard Self.isOfFiles(lock) else { return false }
      _ = try enterFiles(&state)
    }
    let file = Self.file(of: place)
    if state.files[file] < 0 { state.files[file] = try open(file, state.descriptor) }
    return try ByteLock.take(.exclusive, ByteLock.places(from: place), of: state.files[file])
  }

  func unlock(_ topic: JournalTopic, _ state: State) {
    let place = Self.place(of: topic)
    let file = state.files.isEmpty ? state.descriptor : state.files[Self.file(of: place)]
    ByteLock.release(ByteLock.places(from: place), of: file)
  }

  /// The lock of another process on a topic.
  func lock(on topic: JournalTopic, _ state: State, _ descriptor: Int32) -> Range<off_t>? {
    let place = Self.place(of: topic)
    let lock = ByteLock.lock(on: place, of: descriptor)
    guard let lock, Self.isOfFiles(lock) else { return lock }
    return withFile(Self.file(of: place), state) { ByteLock.lock(on: place, of: $0) }
  }

  /// The locks of other processes.
  func others(_ state: State, _ descriptor: Int32) -> [Range<off_t>] {
    let locks = ByteLock.locks(on: Self.area, of: descriptor)
    guard locks.contains(where: Self.isOfFiles) else { return locks }
    var found: [Range<off_t>] = []
    for file in 0..<Self.fileCount {
      found += withFile(file, state) { ByteLock.locks(on: Self.area, of: $0) } ?? []
    }
    return found
  }

  /// Moves all claims to the files. False if another process has claims in the environment's file.
  private func enterFiles(_ state: inout State) throws(SystemFailure) -> Bool {
    var files = [Int32](repeating: -1, count: Self.fileCount)
    do throws(SystemFailure) {
      for claim in state.claims {
        let place = Self.place(of: claim.topic)
        let file = Self.file(of: place)
        if files[file] < 0 { files[file] = try open(file, state.descriptor) }
        // Nobody else can have it, because this process still has its bytes in the environment's file.
        _ = try ByteLock.take(.exclusive, ByteLock.places(from: place), of: files[file])
      }
      // Replaces the locks of this process in one step.
      if try ByteLock.take(.shared, Self.area, of: state.descriptor) {
        state.files = files
        return true
      }
    } catch {
      close(files)
      throw error
    }
    close(files)
    return false
  }

  /// Returns to the environment's file. The process must have no claims.
  func leaveFiles(_ state: inout State) {
    ByteLock.release(Self.area, of: state.descriptor)
    close(state.files)
    (state.files, state.limit) = ([], Self.few)
  }

  func close(_ files: [Int32]) {
    for file in files where file >= 0 { ByteLock.close(file, openedIn: forkGeneration) }
  }

  private static func isOfFiles(_ lock: Range<off_t>) -> Bool { lock.upperBound - lock.lowerBound > ByteLock.longest }

  /// The bits of a place above the 22 that processes lock are random.
  private static func file(of place: off_t) -> Int { Int(place >> 22) % fileCount }

  private func path(_ file: Int) -> String { folder + "/claims-" + String(file) }

  /// Calls `body` with a file that another process may have made. `nil` if there is none.
  private func withFile<Result>(_ file: Int, _ state: State, _ body: (Int32) -> Result?) -> Result? {
    if !state.files.isEmpty, state.files[file] >= 0 { return body(state.files[file]) }
    let descriptor = systemOpen(path(file), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { systemClose(descriptor) }
    return body(descriptor)
  }

  /// - Parameter environment: A descriptor of the environment's file, whose users also use this one.
  private func open(_ file: Int, _ environment: Int32) throws(SystemFailure) -> Int32 {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let name = path(file)
    var descriptor = systemOpen(name, flags)
    if descriptor < 0, SystemFailure.last.errno == ENOENT {
      mkdir(folder, 0o700)
      descriptor = systemOpen(name, flags | O_CREAT, 0o600)
      var data = stat()
      if descriptor >= 0, fstat(environment, &data) == 0 { fchmod(descriptor, StoreAccess(data.st_mode).fileMode) }
    }
    guard descriptor >= 0 else { throw .last }
    return descriptor
  }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) { close(descriptor) }
