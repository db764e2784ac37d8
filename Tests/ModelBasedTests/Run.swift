import Foundation
import RepriseCore
import RepriseTestSharing
import RepriseTesting

/// The library and the oracle differ.
struct Mismatch: Error, CustomStringConvertible {
  let description: String
}

/// One context of a run, on both sides.
@MainActor
final class Node {
  let name: String
  let parent: Node?
  let draft: String?
  let oracle: OracleContext
  var context: EditingContext
  /// Objects that somebody holds on to, as a screen would.
  var held: [Key: any PersistentModel] = [:]

  init(_ name: String, _ context: EditingContext, _ oracle: OracleContext, parent: Node?, draft: String?) {
    self.name = name
    self.context = context
    self.oracle = oracle
    self.parent = parent
    self.draft = draft
  }

  var depth: Int { parent.map { $0.depth + 1 } ?? 0 }
  var isReader: Bool { name == "reader" }
}

/// Random steps on a store of the library and on the oracle, compared after each.
@MainActor
final class Run {
  let seed: UInt64
  var random: SeededGenerator
  /// The stores of the servers that share the log, or the only store.
  let temporary: [TemporaryStore]
  /// As last launched.
  var stores: [Store]
  let log = OracleLog()
  var nodes: [Node] = []
  var objects = ObjectAccess()
  /// What was done, for whoever has to find out why it went wrong.
  private(set) var trace: [String] = []
  private var weights: [(step: Step, weight: Int)] = []
  private var nextName = 0
  /// What a one-to-one was made to lead to last.
  var wanted: Key?
  /// Whether nothing is in the journal's file but what a step puts there: a kill then loses what came after.
  let losesTicks: Bool
  /// The screens of all scenes.
  var screens: [Screen] = []
  /// Those of the scenes that are restored.
  var restorations: [String: Restoration] = [:]
  /// What drafts and screens may be like after a kill: the states since the journal was last written for certain.
  var candidates: [Kept] = [Kept()]

  /// Empty if the store has its log alone.
  let servers: [TestServer]

  init(seed: UInt64, mistake: Mistake? = nil, isShared: Bool = false) async throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    losesTicks = Int.random(in: 0..<3, using: &random) == 0
    var journal = JournalOptions()
    if losesTicks { (journal.aim, journal.turnLimit) = (.max / 4, .max / 4) }
    if Bool.random(using: &random) { journal.wholeDraftLimit = 0 }
    // Contexts behind the head read what is spilled from the log.
    let budget = [0, 600, 3_000, nil].randomElement(using: &random) ?? nil
    let (schema, server) = (Schema(Thing.self, Holder.self, Label.self), isShared ? TestServer() : nil)
    let first = try TemporaryStore(for: schema, journal: journal, windowBudget: budget, sharing: server?.connect)
    if let server {
      let (other, second) = try await server.join(first.store, for: schema)
      (servers, temporary) = ([server, other], [first, second])
      // The sharing of the log is a transaction.
      log.worlds.append([:])
    } else {
      (servers, temporary) = ([], [first])
    }
    stores = temporary.map(\.store)
    log.mistake = mistake
    for name in ["main", "other", "reader"] {
      // The drafts of two servers have nothing to do with each other, even if they have one name.
      let mayBeDraft = name == "main" || place(of: name) > 0
      let draft = mayBeDraft && Int.random(in: 0..<4, using: &random) > 0 ? "main" : nil
      nodes.append(try makeRoot(name, draft, OracleContext(log, isDraft: draft != nil)))
    }
    // Some kinds of steps are left out of a run, others come often: rare orders of events get their chance.
    weights = Step.allCases.map { ($0, [0, 1, 1, 3].randomElement(using: &random) ?? 1) }
    // What has nothing to do with a mistake hides it.
    if let mistake, mistake != .screensForgetTheLastChange { weights.removeAll { $0.step.isOfScreens } }
    if losesTicks {
      // What is edited during a save may or may not be written with it.
      weights.removeAll { $0.step == .saveWhileEditing }
      weights.append((.tick, 3))
    }
    for step in [Step.insert, .setAttribute, .saveRoot] {
      for index in weights.indices where weights[index].step == step { weights[index].weight += 2 }
    }
  }

  var store: Store { stores[0] }

  /// The server of a root context. If a kill loses edits, they are in one journal.
  func place(of name: String) -> Int { name == "other" && !losesTicks ? stores.count - 1 : 0 }

  func makeRoot(_ name: String, _ draft: String?, _ oracle: OracleContext) throws -> Node {
    let store = stores[place(of: name)]
    let context = try draft.map { try RootContext(store, author: name, draft: $0) } ?? RootContext(store, author: name)
    context.followsHead = false
    return Node(name, context, oracle, parent: nil, draft: draft)
  }

  func freshName() -> String {
    nextName += 1
    return "c\(nextName)"
  }

  func note(_ text: String) {
    trace.append(text)
    // For a run that never ends.
    if Self.isLoud { FileHandle.standardError.write(Data("\(seed): \(text)\n".utf8)) }
  }

  private static let isLoud = ProcessInfo.processInfo.environment["REPRISE_TRACE"] != nil

  /// Runs a number of steps. Throws ``Mismatch`` at the first difference.
  func steps(_ count: Int) async throws {
    for _ in 0..<count {
      try await step()
      // The end of the turn, at which screens are written.
      await Task { @MainActor in }.value
      try await compare()
      candidates.append(kept)
    }
  }

  private func step() async throws {
    let total = weights.reduce(0) { $0 + $1.weight }
    for _ in 0..<20 {
      var rest = Int.random(in: 0..<max(1, total), using: &random)
      guard
        let step = weights.first(where: {
          rest -= $0.weight
          return rest < 0
        })?.step
      else { continue }
      if try await perform(step) { return }
    }
  }
}
