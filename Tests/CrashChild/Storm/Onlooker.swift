import RepriseEventStore
import RepriseRestoration

/// Looks at a scene that another process shows: sees it as it was at one moment, and changes nothing whatever it does.
@MainActor struct Onlooker {
  private let name: String
  private let store: Store
  private let process: StormProcess

  init(_ number: Int, _ store: Store, _ process: StormProcess) {
    name = "scene\(number)"
    self.store = store
    self.process = process
  }

  func look() async throws {
    let restoration = Restoration(store, scene: name)
    restoration.sceneConflictPolicy = .readOnly
    restoration.onProblem = { [process] in process.voice.problem("the onlooker: \($0)") }
    try restoration.define(Box.kind) { node in Box(node) }
    try restoration.define(Glass.kind) { node in Glass(node) }
    try restoration.define(twoPhase: "card") { _, _ in Card() }
    process.voice("try \(name)")
    process.voice("look nodes/\(name)")
    try await restoration.restore()
    guard restoration.isReadOnly else {
      // Nobody shows it.
      restoration.end()
      return process.voice("leaving \(name)")
    }
    process.voice("refused \(name)")
    process.voice("saw nodes/\(name)=\(try SceneText(restoration).text)")
    try await play(restoration)
    restoration.end()
  }

  private func play(_ restoration: Restoration) async throws {
    let paths = try SceneText(restoration).paths
    for path in paths { try restoration.screen(Box.kind, at: path)?.node.state.turned += 1 }
    if let path = paths.last { try restoration.close(at: path) }
    try restoration.open(Box.kind, id: "mine", state: Box.State(number: process.newStamp()))
    try restoration.save()
    try await restoration.flush()
    // A mistake that a test must find out.
    if process.canary == "forging" { store.journal.append([.sceneCleared(scene: name)]) }
  }
}
