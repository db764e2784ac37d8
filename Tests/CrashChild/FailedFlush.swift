import CRepriseFaults
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestSeeds

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A flush fails, and the system forgets what was not flushed: the next flush succeeds without it, as on Linux. The
/// program goes on; later the power is cut. What it was told since must be there.
///
/// Each flush of the program fails in a run of its own.
enum FailedFlushes {
  /// - Parameter times: How many flushes fail, one after the other.
  static func run(_ path: String, images: Int, seed: UInt64, times: Int) async throws {
    let folder = path + "-worked"
    let file = path + "-recording"
    try PowerCuts.makeFolder(folder)
    reprise_faults_watch(folder)
    var random = SeededGenerator(seed: seed)
    var counts = (flushes: 0, images: 0, kept: 0, answers: 0)
    var flush = 0
    while true {
      flush += 1
      reprise_faults_record(file)
      reprise_faults_fail(REPRISE_FLUSH.rawValue, UInt64(flush), UInt64(times), EIO, REPRISE_FAILS_DROPPING)
      var program = Program()
      try await program.work(folder + "/store")
      let hasFailed = reprise_faults_failed() > 0
      reprise_faults_fail(0, 0, 0, 0, REPRISE_FAILS_BEFORE)
      reprise_faults_record("/dev/null")
      let recording = try Recording(file)
      try Disk.remove(file)
      try Disk.removeStore(folder + "/store")
      if !hasFailed { break }
      counts.flushes += 1
      counts.answers += program.answers
      guard let failed = recording.first(REPRISE_DROP) else {
        return problem("flush \(flush) failed, and is not noted")
      }
      let first = max(failed, recording.first(REPRISE_MARK) ?? recording.changes.count)
      for image in 0..<images {
        let moment = Int.random(in: min(first, recording.changes.count - 1)...recording.changes.count, using: &random)
        let place = "\(path)-\(flush)-\(image)"
        try PowerCuts.write(PowerCut(recording, before: moment).image(&random), to: place)
        counts.images += 1
        let told = Told(recording.changes[..<moment])
        if try await told.isKept(in: place + "/store", "flush \(flush), cut before \(moment)") {
          counts.kept += 1
        }
        try Disk.removeStore(place + "/store")
        try Disk.removeStore(place)
      }
    }
    say("flushes \(counts.flushes) images \(counts.images) kept \(counts.kept) answers \(counts.answers)")
  }

  // MARK: The program

  /// Saves and types, in two lives; what fails is tried again.
  private struct Program {
    /// How often it asked whether a transaction stands.
    var answers = 0

    mutating func work(_ path: String) async throws {
      var store = try open(path)
      reprise_faults_mark("saved 0")
      for stamp in 1...9 {
        store = try await save(stamp, in: store, path)
        store = try await again(store, path) { try type(stamp, in: $0) }
        if stamp == 4 {
          store = try await again(store, path) { try await $0.close() }
          store = try open(path)
        }
        if stamp == 6 { store = try await again(store, path) { try await $0.journals.checkpoint() } }
      }
      await store.abandon()
    }

    /// Does something, and does it again if it fails. A store whose last commit may be there or not is closed, and
    /// opened again for that. Returns the store that it was done in.
    private func again(_ store: Store, _ path: String, _ body: (Store) async throws -> Void) async throws -> Store {
      var store = store
      for _ in 0..<3 {
        do {
          try await body(store)
          return store
        } catch {}
        if (try? StoreMaintenance.verifyNow(store)) == nil {
          await store.abandon()
          store = try open(path)
        }
      }
      try await body(store)
      return store
    }

    private func open(_ path: String) throws -> Store {
      let options = StoreOptions()
      for _ in 0..<3 { if let store = try? Store.openNow(path, for: schema, options) { return store } }
      return try Store.openNow(path, for: schema, options)
    }

    private mutating func save(_ stamp: Int, in store: Store, _ path: String) async throws -> Store {
      var store = store
      for _ in 0..<5 {
        let context = RootContext(store, author: "ada", isolation: nil)
        try Lane.edit(1, to: stamp, renewing: stamp % 5 == 4, in: context)
        reprise_faults_mark("saving \(stamp)")
        do {
          try await context.save("Save \(stamp)")
          reprise_faults_mark("saved \(stamp)")
          return store
        } catch SaveError.store(.system) {
          reprise_faults_mark("saved \(stamp - 1)")
        } catch SaveError.outcomeUnknown(let transaction) {
          await store.abandon()
          store = try open(path)
          answers += 1
          var stands = false
          store = try await again(store, path) {
            stands = try await $0.log.position(ofTransaction: transaction) != nil
          }
          reprise_faults_mark("saved \(stands ? stamp : stamp - 1)")
          if stands { return store }
        }
      }
      problem("save \(stamp) does not go through")
      return store
    }

    private func type(_ stamp: Int, in store: Store) throws {
      let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
      reprise_faults_mark("typing \(stamp)")
      try Lane.edit(2, to: stamp, renewing: true, in: desk)
      if stamp % 3 == 0 { return try store.journal.write() }
      try store.journal.flush()
      reprise_faults_mark("typed \(stamp)")
    }
  }

  // MARK: What it was told

  private struct Told {
    /// The stamps that may be there.
    private var saved = 0...0
    private var typed = 0...0

    init(_ changes: ArraySlice<Recording.Change>) {
      for mark in changes where mark.is(REPRISE_MARK) {
        let stamp = mark.path.number
        switch mark.path.prefix(6) {
        case "saved ": saved = stamp...stamp
        case "saving": saved = saved.lowerBound...stamp
        case "typing": typed = typed.lowerBound...stamp
        default: typed = stamp...stamp
        }
      }
    }

    /// Says what is wrong; false if something is lost.
    func isKept(in path: String, _ what: String) async throws -> Bool {
      do {
        return try await withStore(path) { store in
          let report = try StoreMaintenance.verifyNow(store)
          if !report.isSound { problem("\(what): \(report)") }
          let found = try Lane.read(1, in: RootContext(store, isolation: nil))
          guard case .whole(let stamp) = found, saved.contains(stamp) else {
            problem("\(what): told \(saved), and \(found) is saved")
            return false
          }
          let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
          let text = try Lane.read(2, in: desk)
          // Of what was not flushed, a part can be there without an earlier one.
          let mayBeTorn = typed.count > 1
          switch text {
          case .whole(let stamp) where stamp >= typed.lowerBound: break
          case .torn where mayBeTorn: break
          default:
            problem("\(what): told \(typed), and \(text) is typed")
            return false
          }
          return true
        }
      } catch {
        problem("\(what): \(error)")
        return false
      }
    }
  }
}

extension Recording {
  fileprivate func first(_ kind: reprise_change) -> Int? { changes.firstIndex { $0.is(kind) } }
}

extension String {
  fileprivate var number: Int { split(separator: " ").last.flatMap { Int($0) } ?? 0 }
}
