/// One line of the result for each peer.
struct Row: Sendable {
  let name: String
  let unit: Unit
  /// What is measured, for people.
  let meaning: String
  let work: Work
}

/// A store as `make` of a worker builds it.
struct StoreShape: Hashable, Sendable {
  let objects: Int
  let events: Int

  init(objects: Int, events: Int? = nil) {
    self.objects = objects
    self.events = events ?? objects
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
  case inside(StoreShape, command: String, label: String, changes: Bool)
  /// How much a worker did in its `elapsed`, as a line `label count`.
  case rate(StoreShape, command: String, label: String, arguments: [String])
  /// Loading into a store that is not there yet.
  case load(objects: Int, batch: Int)
  /// What one save writes and flushes, seen from outside.
  case traced(StoreShape, TracedFigure)
  /// A worker's line `label count`, divided by another one.
  case size(StoreShape, command: String, label: String, per: String?)
}

enum TracedFigure: Sendable {
  case bytes
  case flushes
}
