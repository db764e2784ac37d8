import RepriseEventStore
import RepriseObjectGraph

/// Whoever opens the store for a moment: a tool that looks, counts, checkpoints or verifies, with newer models at
/// times.
@MainActor struct Visitor {
  private let process: StormProcess

  init(_ process: StormProcess) { self.process = process }

  func run() async throws {
    if process.chance(6) { return try await check() }
    let store = try process.open()
    switch Int.random(in: 0..<6, using: &process.random) {
    case 0: break
    case 1: try await look(store)
    case 2: try await count(store)
    case 3: try await checkpoint(store)
    case 4: try await Self.verify(store, process.voice)
    default: await process.sleep(milliseconds: 1...500)
    }
    process.voice("visited")
    if !process.chance(3) { try await store.close() }
  }

  /// Reads the file beside those who write it.
  private func check() async throws {
    do {
      let report = try await StoreMaintenance.check(process.arguments.path)
      if !report.isSound { process.voice.problem("\(report)") }
    } catch StoreError.system(_, _, _, let message) where message.contains("kept writing") {
      // The others left no moment.
    }
    process.voice("checked")
  }

  private func look(_ store: Store) async throws {
    let context = RootContext(store)
    for _ in 0..<20 {
      try context.refresh()
      _ = try Counter.sum(context, process.voice)
      for draft in try store.drafts.all() {
        if let reason = draft.unreadableReason { process.voice.problem("\(draft.id) cannot be read: \(reason)") }
      }
      await process.sleep(milliseconds: 0...10)
    }
  }

  private func count(_ store: Store) async throws {
    var counter = Counter(process, process.arguments["name"])
    let context = RootContext(store, author: "visitor")
    try counter.look(context)
    for _ in 0..<Int.random(in: 1...20, using: &process.random) { try await counter.count(context) }
  }

  /// What dead processes left.
  private func checkpoint(_ store: Store) async throws {
    for _ in 0..<20 {
      _ = try store.drafts.all()
      try await store.journals.checkpoint(onlyHeld: process.chance(2))
      await process.sleep(milliseconds: 0...20)
    }
  }

  static func verify(_ store: Store, _ voice: Voice) async throws {
    let report = try await StoreMaintenance.verify(store)
    if !report.isSound { voice.problem("\(report)") }
  }
}

/// When all are dead: everything that they left is to be had, and the store is whole.
@MainActor struct Tally {
  private let process: StormProcess
  private let store: Store

  init(_ process: StormProcess) throws {
    self.process = process
    store = try process.open()
  }

  func run() async throws {
    let context = RootContext(store)
    try context.refresh()
    for (name, count) in try Counter.sum(context, process.voice) { process.voice("found count/\(name)=\(count)") }
    for number in 0..<StormCells.desks {
      process.voice("try desk\(number)")
      guard let desk = try Desk(number, store, process) else {
        process.voice("refused desk\(number)")
        continue
      }
      try desk.lookAround()
      process.voice("leaving desk\(number)")
    }
    for number in 0..<StormCells.scenes {
      process.voice("try scene\(number)")
      guard let scene = try await Scene(number, store, process) else {
        process.voice("refused scene\(number)")
        continue
      }
      try scene.lookAround()
      await scene.leave()
    }
    try await Sharer.tally(process, store)
    try await Client.tally(process, store)
    try await Visitor.verify(store, process.voice)
    try await store.close()
    process.voice("closed")
  }
}
