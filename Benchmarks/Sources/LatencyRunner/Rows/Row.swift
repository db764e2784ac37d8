/// One line of the result for each peer.
struct Row: Sendable {
  let name: String
  let unit: Unit
  /// What is measured, for people.
  let meaning: String
  let work: Work
}

/// A store as a worker builds it.
struct StoreShape: Hashable, Sendable {
  /// What is in it, by the worker's command.
  enum Content: String, Sendable {
    case items = "make"
    case tasks = "make-tasks"
    case tree = "make-tree"
    case drafts = "make-drafts"
    case mirror = "make-mirror"
    case graph = "make-graph"
    case history = "make-history"
    case longHistory = "make-long-history"
    case keptHistory = "make-kept-history"
  }

  let objects: Int
  let events: Int
  let content: Content

  init(objects: Int, events: Int? = nil, content: Content = .items) {
    self.objects = objects
    self.events = events ?? objects
    self.content = content
  }
}

/// How the worker is linked.
enum Linking: String, Sendable {
  case dynamic
  case `static`
}

/// How the figures of a row come about.
enum Work: Sendable {
  /// A fresh process for each sample, from just before its start to its stamp `ready`.
  case start(StoreShape, Linking)
  /// The same, with nothing of store and program in memory.
  case dropped(StoreShape)
  /// Samples that a worker takes itself, as lines `label nanoseconds`.
  /// With `freshly`, each round has a new copy of the store, because it would find the work of the last one done.
  case inside(StoreShape, command: String, label: String, changes: Bool, freshly: Bool = false)
  /// A question that a worker answers again and again, as lines `sample nanoseconds`; all peers have to answer alike.
  case asked(StoreShape, Question)
  /// How much a worker did in its `elapsed`, as a line `label count`.
  case rate(StoreShape, command: String, label: String, arguments: [String], freshly: Bool = false)
  /// The same, into a store that is not there yet.
  case made(command: String, label: String, arguments: [String])
  /// What one save writes and flushes, seen from outside.
  case traced(StoreShape, TracedFigure)
  /// A worker's line `label count`, divided by another one.
  case size(StoreShape, command: String, label: String, per: String?)
}

enum TracedFigure: Sendable {
  case bytes
  case flushes
}

/// A query, a list with what happens to it, screens and edits that come back, or relationships and rules. What each
/// asks is in Sources/Workload and the workers.
struct Question: Sendable {
  enum Subject: String, Sendable {
    case query
    case list
    case restoration
    case graph
    case history
  }

  let subject: Subject
  let name: String
  /// How many samples a worker takes in one process.
  var samples = Samples.fast
  /// Whether it writes, and so needs a copy of the store. What is rolled back counts: SQLite leaves it in its log, and
  /// the next opening goes through that.
  var writes = false

  /// Lists are asked for other edits in each round.
  var changesAnswer: Bool { subject == .list }

  /// As many as the slowest peer answers in some seconds.
  enum Samples: Sendable {
    case fast
    case slow
    case slowest
  }
}
