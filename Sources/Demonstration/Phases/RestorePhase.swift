#if Macros
import RepriseCore

/// A new process: everything is where it was. Then the edits are discarded, others are saved, and the store is
/// verified.
@MainActor struct RestorePhase {
  private let path: String
  private let startedAt: UInt64?
  private let mainBegan: UInt64
  private let terminal: Terminal

  init(store: String, startedAt: UInt64?, mainBegan: UInt64, _ terminal: Terminal) {
    path = store
    self.startedAt = startedAt
    self.mainBegan = mainBegan
    self.terminal = terminal
  }

  func run() async throws {
    try requireFile(path + "/data.mdb")
    let app = try await App.launch(path)
    let restoredAt = SharedClock.now()
    let screen = try app.drawn()
    let drawnAt = SharedClock.now()

    try TextFile.write(screen, to: ScreenFiles.after(path))
    let comparison = SideBySide(before: try TextFile.lines(of: ScreenFiles.before(path)), after: screen)
    comparison.print(on: terminal)
    guard comparison.areEqual else {
      throw DemoError.differs("The screen differs from the screen before the kill. \(app.report)")
    }
    try figures(app, restoredAt, drawnAt)
    try await AfterRestore(app, path, terminal).run()
  }

  private func figures(_ app: App, _ restoredAt: UInt64, _ drawnAt: UInt64) throws {
    let between = { (start: UInt64, end: UInt64) in Duration.nanoseconds(Int64(end - min(start, end))).milliseconds }
    terminal.line()
    terminal.fact("the screens", "the same, line by line", .good)
    if let startedAt {
      terminal.fact("from process start to restored screen", between(startedAt, drawnAt), .bold)
      terminal.fact("  of it before main()", between(startedAt, mainBegan))
    } else {
      terminal.fact("from main() to restored screen", between(mainBegan, drawnAt), .bold)
    }
    terminal.fact("  of it opening the store", app.times.open.milliseconds)
    terminal.fact("  of it inside restore", app.times.restore.milliseconds)
    terminal.fact("  of it drawing", between(restoredAt, drawnAt))
    let objects = try Congress.count(in: app.root)
    terminal.fact("objects in the store", objects.grouped)
    terminal.fact("transactions in its log", "\(app.store.log.head), the first of them the schema")
  }
}
#endif
