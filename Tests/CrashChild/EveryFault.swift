import CRepriseFaults
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program that opens a store, types, saves and closes, run once for each call by which it changes the disk: that
/// call fails. Whatever it is told, it must be true, and what it does next must work.
struct EveryFault {
  private let folder: String
  private let path: String
  private let files: [(name: String, bytes: [UInt8])]
  private let fault: Fault
  private var counts: [String: Int] = [:]

  struct Fault {
    let kinds: UInt32
    let code: Int32
    var how: reprise_failing = REPRISE_FAILS_BEFORE
    var isLasting = false

    static let all: [String: Fault] = {
      func kinds(_ kinds: reprise_change...) -> UInt32 { kinds.reduce(0) { $0 | $1.rawValue } }
      let writes = kinds(REPRISE_WRITE, REPRISE_TRUNCATE, REPRISE_ALLOCATE, REPRISE_MAKE)
      let names = kinds(REPRISE_MAKE, REPRISE_RENAME, REPRISE_REMOVE)
      return [
        "full": Fault(kinds: writes, code: ENOSPC),
        "stays full": Fault(kinds: writes, code: ENOSPC, isLasting: true),
        "short": Fault(kinds: kinds(REPRISE_WRITE), code: ENOSPC, how: REPRISE_FAILS_SHORT),
        "broken": Fault(kinds: kinds(REPRISE_WRITE), code: EIO),
        "unflushed": Fault(kinds: kinds(REPRISE_FLUSH), code: EIO),
        "stays unflushed": Fault(kinds: kinds(REPRISE_FLUSH), code: EIO, isLasting: true),
        "done and denied": Fault(kinds: kinds(REPRISE_WRITE), code: EIO, how: REPRISE_FAILS_AFTER),
        "no descriptor": Fault(kinds: kinds(REPRISE_OPEN, REPRISE_MAKE), code: EMFILE),
        "no descriptors": Fault(kinds: kinds(REPRISE_OPEN, REPRISE_MAKE), code: EMFILE, isLasting: true),
        "names": Fault(kinds: names, code: EIO),
        "read-only": Fault(kinds: writes | names, code: EROFS, isLasting: true),
      ]
    }()
  }

  /// - Parameter isNew: The program makes the store; else it finds one, with the journal of a program that was killed.
  static func run(_ path: String, _ name: String, isNew: Bool) async throws {
    guard let fault = Fault.all[name] else { return problem("no fault '\(name)'") }
    let template = path + " template"
    if !isNew { try await makeTemplate(template) }
    var runs = try EveryFault(folder: path, template: isNew ? nil : template, fault)
    reprise_faults_watch(path)
    let calls = try await runs.run(failing: nil)
    for number in 1...calls + 1 { _ = try await runs.run(failing: number) }
    say(
      "calls \(calls) " + runs.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: " "))
  }

  private init(folder: String, template: String?, _ fault: Fault) throws {
    self.folder = folder
    self.fault = fault
    path = folder + "/store"
    mkdir(folder, 0o700)
    var files: [(name: String, bytes: [UInt8])] = []
    if let template {
      let journals = Disk.names(in: template + "/journals").map { "journals/" + $0 }
      for name in journals + ["data.mdb"] { files.append((name, try Disk.read("\(template)/\(name)"))) }
    }
    self.files = files
  }

  private static let before = 3
  private static let saved = 14
  private static let typed = 25

  private static func makeTemplate(_ path: String) async throws {
    try await makeStore(path, stamps: 1...before)
    let store = try openStore(path)
    let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
    try Lane.edit(2, to: before, renewing: true, in: desk)
    try store.journal.flush()
    await store.abandon()
  }

  // MARK: A run

  /// What the program was told.
  private struct Told {
    enum Save { case none, saved, refused, unknown(UniqueID) }
    /// The draft was had; else nothing was typed.
    var hasDraft = false
    var isTyped = false
    var save = Save.none
    var isClosed = false
  }

  /// Returns how many calls there were that could have failed.
  private mutating func run(failing number: Int?) async throws -> Int {
    try? Disk.removeStore(path)
    if !files.isEmpty {
      mkdir(path, 0o700)
      mkdir(path + "/journals", 0o700)
      for file in files { try Disk.write(file.bytes, to: "\(path)/\(file.name)", mode: 0o600) }
    }
    let count = fault.isLasting ? UInt64.max : 1
    reprise_faults_fail(fault.kinds, UInt64(number ?? 0), number == nil ? 0 : count, fault.code, fault.how)
    let told = await work()
    let calls = Int(reprise_faults_seen())
    mend()
    let seen = number.map { "at call \($0)" } ?? "without a fault"
    do {
      try await withStore(path) { store in try await look(store, told, seen) }
    } catch {
      problem("\(seen), opened again: \(error)")
    }
    return calls
  }

  private func mend() { reprise_faults_fail(0, 0, 0, 0, REPRISE_FAILS_BEFORE) }

  private mutating func count(_ what: String) { counts[what, default: 0] += 1 }

  private mutating func work() async -> Told {
    var told = Told()
    let store: Store
    do throws(StoreError) {
      store = try Store.openNow(path, for: schema, StoreOptions())
    } catch {
      count("unopened")
      switch error {
      case .diskFull, .system, .readOnly, .journal: return told
      default: problem("opening, \(error.name): \(error)")
      }
      return told
    }
    do {
      let desk = try draft("desk", of: store)
      if let desk {
        told.hasDraft = true
        try Lane.edit(2, to: Self.typed, renewing: true, in: desk)
      }
      do throws(JournalError) {
        try store.journal.flush()
        told.isTyped = true
      } catch {
        count("untyped")
      }
      let book = try draft("book", of: store) ?? RootContext(store, author: "ada", isolation: nil)
      try Lane.edit(1, to: Self.saved, renewing: false, in: book)
      told.save = await save(book)
      if case .refused = told.save {
        // The fault is over, and the same save works.
        mend()
        told.save = await save(book)
        if case .saved = told.save {} else { problem("refused again, without a fault") }
      }
    } catch {
      problem("working: \(error)")
    }
    do {
      try await store.close()
      told.isClosed = true
    } catch {
      count("unclosed")
      // Nothing was closed and nothing is lost; the fault is over, and it works.
      mend()
      do {
        try await store.close()
        told.isClosed = true
      } catch {
        problem("closing again, without a fault: \(error)")
        await store.abandon()
      }
    }
    return told
  }

  private mutating func draft(_ name: String, of store: Store) throws -> RootContext? {
    do {
      return try RootContext(store, author: "ada", draft: name, isolation: nil)
    } catch DraftError.store {
      count("undrafted")
      return nil
    }
  }

  private mutating func save(_ context: RootContext) async -> Told.Save {
    do {
      try await context.save("Save")
      count("saved")
      return .saved
    } catch {
      switch error as? SaveError {
      case .outcomeUnknown(let transaction)?:
        count("unknown")
        return .unknown(transaction)
      case .store(.diskFull)?, .store(.system)?, .store(.readOnly)?: count("refused")
      default: problem("saving: \(error)")
      }
      if !context.hasChanges { problem("refused, and the changes are gone") }
      return .refused
    }
  }

  // MARK: What is there

  private mutating func look(_ store: Store, _ told: Told, _ seen: String) async throws {
    let report = try store.verifyNow()
    if !report.isSound { problem("\(seen): \(report)") }
    let context = RootContext(store, isolation: nil)
    let isSaved: Bool
    switch told.save {
    case .saved: isSaved = true
    case .none, .refused: isSaved = false
    case .unknown(let transaction):
      let position = try await store.position(ofTransaction: transaction)
      isSaved = position != nil
      count(isSaved ? "stands" : "stands-not")
      if isSaved && position != store.head { problem("\(seen): the transaction is at \(position!), not at the head") }
    }
    let before = files.isEmpty ? 0 : Self.before
    let found = try Lane.read(1, in: context)
    if found != .whole(isSaved ? Self.saved : before) { problem("\(seen): told \(told.save), and \(found) is there") }

    let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
    let typed = try Lane.read(2, in: desk)
    let isSure = told.hasDraft && (told.isTyped || told.isClosed)
    let mayBe = isSure ? [Self.typed] : told.hasDraft ? [Self.typed, before] : [before]
    if !mayBe.contains(where: { typed == .whole($0) }) { problem("\(seen): \(typed) is typed, not \(mayBe)") }
    // It goes on.
    try Lane.edit(0, to: Self.saved, renewing: true, in: context)
    try await context.save("Go on")
  }
}
