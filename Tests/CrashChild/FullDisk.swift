import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A disk that is full at every point of a save, of the making of a store and of a tick of the journal.
enum FullDisk {
  // MARK: Limits

  /// Lets no file grow beyond a size: the write that would is cut short or fails, as on a full disk.
  private static func limit(_ size: Int?) {
    var limits = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    getrlimit(resource, &limits)
    limits.rlim_cur = size.map { rlim_t($0) } ?? limits.rlim_max
    setrlimit(resource, &limits)
  }

  private static func limited<Success>(_ size: Int, _ body: () async throws -> Success) async rethrows -> Success {
    limit(size)
    defer { limit(nil) }
    return try await body()
  }

  /// In a save that needs pages, each of its writes is the one that fails, once.
  static func save(_ path: String) async throws {
    try await makeStore(path, stamps: 1...3)
    var refused = 0
    var saved = 0
    try await withStore(path) { store in
      let context = RootContext(store, author: "ada", isolation: nil)
      var lane = 200
      for _ in 0..<2 {
        for room in stride(from: 0, to: 40 * 4096, by: 4096 + 1000) {
          try context.refresh()
          let before = try contents(of: store)
          // Long texts in objects that are not there yet: the file has to grow.
          lane += 1
          let stamp = 3 + 11 * lane
          try Lane.edit(lane, to: stamp, renewing: false, in: context)
          let size = try Disk.size(path + "/data.mdb")
          let failure: (any Error)? = await limited(size + room) {
            do { try await context.save("Into a full disk") } catch { return error }
            return nil
          }
          if let failure {
            refused += 1
            guard case SaveError.store(.diskFull) = failure else {
              return problem("with room for \(room) bytes: \(failure)")
            }
            if !context.hasChanges { problem("with room for \(room) bytes the changes are gone") }
            if try contents(of: store) != before {
              problem("with room for \(room) bytes a refused save left something")
            }
            try await context.save("Now there is room")
          } else {
            saved += 1
          }
          if try Lane.read(lane, in: RootContext(store, isolation: nil)) != .whole(stamp) { problem("not saved") }
        }
        let report = try StoreMaintenance.verifyNow(store)
        if !report.isSound { problem("\(report)") }
      }
    }
    try await withStore(path) { store in
      let report = try StoreMaintenance.verifyNow(store)
      if !report.isSound { problem("opened again: \(report)") }
    }
    say("refused \(refused) saved \(saved)")
  }

  /// An upload that the disk has no room for leaves nothing, at whichever of its writes that shows.
  static func blob(_ path: String) async throws {
    try await makeStore(path, stamps: 1...3)
    var (refused, stored) = (0, 0)
    try await withStore(path) { store in
      for (round, room) in stride(from: 0, to: 3 << 20, by: 150_000).enumerated() {
        let bytes = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 / 251 &+ $0 ^ round) }
        let size = try Disk.size(path + "/data.mdb")
        do {
          _ = try await limited(size + room) { try await Blob(bytes, in: store) }
          stored += 1
        } catch BlobError.store(.diskFull) {
          refused += 1
        }
        let blob = try await Blob(bytes, in: store)
        if try await blob.bytes(in: store) != bytes { problem("with room for \(room) bytes: other bytes") }
        let report = try StoreMaintenance.verifyNow(store)
        if !report.isSound { problem("with room for \(room) bytes: \(report)") }
      }
    }
    var options = options()
    options.cleaningDelay = 0
    let store = try Store.openNow(path, for: schema, options)
    try? await store.cleaning.wait()
    let report = try StoreMaintenance.verifyNow(store)
    if try !store.cleaning.isClean(store) || report.blobs > 0 || !report.isSound {
      problem("something was left: \(report)")
    }
    try await store.close()
    say("refused \(refused) stored \(stored)")
  }

  /// A store that could not be made for want of space is made when there is some.
  static func make(_ path: String) async throws {
    var refused = 0
    for room in stride(from: 0, to: 40 * 4096, by: 2048) {
      let path = "\(path)-\(room)"
      do {
        let store = try await limited(room) { try openStore(path) }
        try await store.close()
        try Disk.removeStore(path)
        continue
      } catch StoreError.diskFull {
        refused += 1
      } catch let error as StoreError {
        problem("with room for \(room) bytes: \(error)")
      }
      try await makeStore(path, stamps: 1...1)
      try await withStore(path) { store in
        if try Lane.read(1, in: RootContext(store, isolation: nil)) != .whole(1) { problem("made, and not saved into") }
        let report = try StoreMaintenance.verifyNow(store)
        if !report.isSound { problem("\(report)") }
      }
      try Disk.removeStore(path)
    }
    say("refused \(refused)")
  }

  /// Edits of a draft wait in memory while the journal cannot grow, and are in it when it can.
  static func journal(_ path: String) async throws {
    try await makeStore(path, stamps: 1...3)
    var refused = 0
    for room in stride(from: 0, to: 3000, by: 250) {
      let stamp = 1000 + room
      try await withStore(path) { store in
        let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
        try Lane.edit(2, to: stamp - 1, renewing: true, in: desk)
        try store.journal.flush()
        let size = try Disk.names(in: path + "/journals").map { try Disk.size("\(path)/journals/\($0)") }.max() ?? 0
        try await limited(size + room) {
          try Lane.edit(2, to: stamp, renewing: true, in: desk)
          do throws(JournalError) {
            try store.journal.flush()
          } catch {
            refused += 1
            if case .cannotWrite = error {} else { problem("with room for \(room) bytes: \(error)") }
            if store.journal.lastError == nil { problem("with room for \(room) bytes nothing tells of the failure") }
          }
          // What lies in the log has nothing to do with it.
          let other = RootContext(store, isolation: nil)
          try other.refresh()
          if try Lane.read(1, in: other) != .whole(3) { problem("cannot read") }
        }
        if try Lane.read(2, in: desk) != .whole(stamp) { problem("the edit is lost in memory") }
        try store.journal.flush()
        if let error = store.journal.lastError { problem("there is room again: \(error)") }
        await store.abandon()
      }
      try await withStore(path) { store in
        let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
        if try Lane.read(2, in: desk) != .whole(stamp) { problem("with room for \(room) bytes the draft is lost") }
      }
    }
    say("refused \(refused)")
  }

  // MARK: A disk of its own

  /// A store whose `lock.mdb` is missing, empty or full of holes is opened on a disk without room for it: LMDB maps
  /// that file, and a page of a map for which there is no room is a SIGBUS.
  static func lock(_ path: String, _ ballast: String) async throws {
    try await makeStore(path, stamps: 1...3)
    let lock = path + "/lock.mdb"
    let size = try Disk.size(lock)
    var refused = 0
    for state in ["missing", "empty", "full of holes", "half"] {
      try Disk.remove(lock)
      if state != "missing" { try Disk.write([], to: lock) }
      if state == "full of holes", truncate(lock, off_t(size)) != 0 { problem("cannot make a file of holes") }
      if state == "half" { try Disk.write([UInt8](repeating: 0, count: size / 2), to: lock) }
      Disk.fill(ballast)
      do {
        _ = try openStore(path)
        problem("opened with a lock.mdb that is \(state), on a full disk")
      } catch StoreError.diskFull {
        refused += 1
      } catch {
        problem("with a lock.mdb that is \(state): \(error)")
      }
      try Disk.remove(ballast)
      try await withStore(path) { store in
        if try Lane.read(1, in: RootContext(store, isolation: nil)) != .whole(3) { problem("opened, and not whole") }
      }
      // Where it has its room, a full disk hinders nobody from reading.
      Disk.fill(ballast)
      let store = try openStore(path)
      if try Lane.read(1, in: RootContext(store, isolation: nil)) != .whole(3) { problem("full, and not whole") }
      await store.abandon()
      try Disk.remove(ballast)
    }
    say("refused \(refused)")
  }

  /// Saves until the disk is full, then makes room and goes on. The folder is on a small file system.
  static func fill(_ path: String, _ ballast: String) async throws {
    try Disk.write([UInt8](repeating: 1, count: 256 << 10), to: ballast)
    var saved = 0
    try await withStore(path) { store in
      let context = RootContext(store, author: "ada", isolation: nil)
      var failure: (any Error)?
      while failure == nil && saved < 10_000 {
        try Lane.edit(0, to: 3 + 11 * saved, renewing: true, in: context)
        do {
          try await context.save("Fill")
          saved += 1
        } catch {
          failure = error
        }
      }
      guard case SaveError.store(.diskFull)? = failure else {
        return problem("after \(saved) saves: \(String(describing: failure))")
      }
      if !context.hasChanges { problem("the changes are gone") }
      try Disk.remove(ballast)
      try await context.save("Now there is room")
      let report = try StoreMaintenance.verifyNow(store)
      if !report.isSound { problem("\(report)") }
    }
    try await withStore(path) { store in
      if store.log.head != Position(UInt64(saved + 2)) { problem("\(saved) saved, head \(store.log.head)") }
      let context = RootContext(store, isolation: nil)
      if try Lane.read(0, in: context) != .whole(3 + 11 * saved) { problem("opened again, something else is there") }
    }
    say("filled after \(saved)")
  }
}
