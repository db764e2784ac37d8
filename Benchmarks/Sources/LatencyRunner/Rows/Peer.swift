/// Who does the work: the library's two products, and what it is compared with.
enum Peer: String, CaseIterable, Sendable {
  case reprise
  case repriseCore = "reprise-core"
  case grdb
  case grdbUsual = "grdb-usual"
  case lmdb
  /// An empty program in Swift, which restores nothing: no program in Swift is there sooner.
  case swift

  /// The library's own, which the others are held against.
  var isOwn: Bool { self == .reprise || self == .repriseCore }

  var worker: String {
    switch self {
    case .reprise: "reprise-worker"
    case .repriseCore: "reprise-core-worker"
    case .grdb, .grdbUsual: "grdb-worker"
    case .lmdb: "lmdb-worker"
    case .swift: "swift-worker"
    }
  }

  /// The program that only restores: one that has all the other commands too takes longer to load.
  var restoringWorker: String {
    switch self {
    case .reprise: "reprise-restore-worker"
    case .repriseCore: "reprise-core-restore-worker"
    case .grdb, .grdbUsual: "grdb-restore-worker"
    case .lmdb, .swift: worker
    }
  }

  /// Without one, a peer takes part in starts of processes only.
  var hasStore: Bool { self != .swift }

  var arguments: [String] { self == .grdbUsual ? ["usual=1"] : [] }
}
