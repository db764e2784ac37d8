import CRepriseFaults
import RepriseEventStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What fails while a program runs. It comes in places: the number of the call that fails, how many descriptors there
/// are, how many pages of the disk are free.
struct Fault {
  private enum Means {
    /// Calls between the program and the system.
    case calls(kinds: UInt32, code: Int32, how: reprise_failing = REPRISE_FAILS_BEFORE, isLasting: Bool = false)
    /// The system itself gives the process no more descriptors.
    case descriptors
    /// The file system itself is full: all of it but so many pages is this file's.
    case room(ballast: String)
  }

  private let means: Means
  private static let page = 4096

  init?(_ name: String, ballast: String) {
    switch name {
    case "limited descriptors": means = .descriptors
    case "little room": means = .room(ballast: ballast)
    default:
      guard let calls = Self.calls[name] else { return nil }
      means = calls
    }
  }

  private static let calls: [String: Means] = {
    func kinds(_ kinds: reprise_change...) -> UInt32 { kinds.reduce(0) { $0 | $1.rawValue } }
    let writes = kinds(REPRISE_WRITE, REPRISE_TRUNCATE, REPRISE_ALLOCATE, REPRISE_MAKE)
    let names = kinds(REPRISE_MAKE, REPRISE_RENAME, REPRISE_REMOVE)
    let opening = kinds(REPRISE_OPEN, REPRISE_MAKE)
    return [
      "full": .calls(kinds: writes, code: ENOSPC),
      "stays full": .calls(kinds: writes, code: ENOSPC, isLasting: true),
      "short": .calls(kinds: kinds(REPRISE_WRITE), code: ENOSPC, how: REPRISE_FAILS_SHORT),
      "broken": .calls(kinds: kinds(REPRISE_WRITE), code: EIO),
      "unflushed": .calls(kinds: kinds(REPRISE_FLUSH), code: EIO),
      "stays unflushed": .calls(kinds: kinds(REPRISE_FLUSH), code: EIO, isLasting: true),
      "done and denied": .calls(kinds: kinds(REPRISE_WRITE), code: EIO, how: REPRISE_FAILS_AFTER),
      "no descriptor": .calls(kinds: opening, code: EMFILE),
      "no descriptors": .calls(kinds: opening, code: EMFILE, isLasting: true),
      "names": .calls(kinds: names, code: EIO),
      "read-only": .calls(kinds: writes | names, code: EROFS, isLasting: true),
    ]
  }()

  /// From now on it fails at that place; `nil`: nowhere, but calls are counted.
  func begin(at place: Int?) {
    switch means {
    case .calls(let kinds, let code, let how, let isLasting):
      let count = isLasting ? UInt64.max : 1
      reprise_faults_fail(kinds, UInt64(place ?? 0), place == nil ? 0 : count, code, how)
    case .descriptors:
      if let place { Self.limitDescriptors(to: place + 2) }
    case .room(let ballast):
      guard let place else { return }
      Disk.fill(ballast)
      let size = (try? Disk.size(ballast)) ?? 0
      if truncate(ballast, off_t(max(0, size - (place - 1) * Self.page))) != 0 { problem("cannot make room") }
    }
  }

  func mend() {
    switch means {
    case .calls: reprise_faults_fail(0, 0, 0, 0, REPRISE_FAILS_BEFORE)
    case .descriptors: Self.limitDescriptors(to: nil)
    case .room(let ballast): unlink(ballast)
    }
  }

  /// How many calls there were that could have failed, since ``begin(at:)``; `nil` if places are not calls.
  var calls: Int? {
    guard case .calls = means else { return nil }
    return Int(reprise_faults_seen())
  }

  // MARK: Descriptors

  private static func limitDescriptors(to count: Int?) {
    var limits = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    getrlimit(resource, &limits)
    limits.rlim_cur = count.map { rlim_t($0) } ?? limits.rlim_max
    setrlimit(resource, &limits)
  }
}

/// One program with one fault, at one place after the other.
final class FaultRun {
  private let fault: Fault
  private var counts: [String: Int] = [:]
  /// Whether the program was told of a failure, since the fault began.
  private(set) var hasFailed = false
  private(set) var place = ""

  init(_ fault: Fault) { self.fault = fault }

  func begin(at number: Int?) {
    place = number.map { "at place \($0)" } ?? "without a fault"
    hasFailed = false
    fault.begin(at: number)
  }

  /// Names the state of the disk that a program looks at.
  func look(at place: String) { self.place = place }

  /// The fault is over.
  func mend() { fault.mend() }

  var calls: Int? { fault.calls }

  /// A success, or what is known later.
  func count(_ what: String) { counts[what, default: 0] += 1 }

  func fail(_ what: String) {
    hasFailed = true
    count(what)
  }

  /// Verifies the store, and reports a problem if it is not sound.
  @discardableResult
  func requireSound(_ store: Store) throws(StoreError) -> VerificationReport {
    let report = try StoreMaintenance.verifyNow(store)
    if !report.isSound { problem("\(report)") }
    return report
  }

  func problem(_ text: String) { say("problem " + "\(place): \(text)".replacing("\n", with: " | ")) }

  var summary: String { counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: " ") }
}
