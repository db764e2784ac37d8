import RepriseCore
import RepriseTesting

@testable import RepriseObjectGraph

extension Run {
  // MARK: Children

  func makeChild() throws -> Bool {
    let parents = nodes.filter { !$0.isReader && $0.depth < 4 }
    guard nodes.count < 8, let parent = parents.randomElement(using: &random) else { return false }
    let name = freshName()
    let hasDraft = Bool.random(using: &random) && (parent.parent == nil || parent.draft != nil)
    let draft = hasDraft ? "\(parent.name)/\(name)" : nil
    note("\(parent.name).makeChild(\(name)\(hasDraft ? ", draft" : ""))")
    let context = try draft.map { try parent.context.makeChild(draft: $0) } ?? parent.context.makeChild()
    let oracle = OracleContext(log, parent: parent.oracle, isDraft: hasDraft)
    nodes.append(Node(name, context, oracle, parent: parent, draft: draft))
    return true
  }

  /// Lets go of a child: without a draft it is gone, with one it is taken up again as it was.
  func dropChild() throws -> Bool {
    let leaves = nodes.filter { node in
      // A screen holds its own.
      node.parent != nil && !nodes.contains { $0.parent === node } && !screens.contains { $0.draft == node.draft }
    }
    guard let node = leaves.randomElement(using: &random), let parent = node.parent else { return false }
    note("\(node.name) is let go")
    node.held = [:]
    guard let draft = node.draft else {
      nodes.removeAll { $0 === node }
      return true
    }
    node.context = parent.context
    node.context = try parent.context.makeChild(draft: draft)
    node.oracle.takenUpAgain()
    return true
  }

  func saveChild(_ node: Node) throws -> Bool {
    guard let child = node.context as? ChildContext else { return false }
    let name = Bool.random(using: &random) ? "save \(trace.count)" : nil
    note("\(node.name).save")
    let expected = node.oracle.saveIntoParent(name)
    var found: [Clash] = []
    do {
      try child.save(name)
    } catch SaveError.refused(let refusal) {
      found = clashes(refusal.conflicts)
    }
    try expect(found, expected, "\(node.name): conflicts of a save into the parent")
    return true
  }

  // MARK: Roots

  private var roots: [(Node, RootContext)] {
    nodes.compactMap { node in (node.context as? RootContext).map { (node, $0) } }
  }

  func refresh() throws -> Bool {
    guard let (node, context) = roots.randomElement(using: &random) else { return false }
    note("\(node.name).refresh")
    try context.refresh()
    node.oracle.refresh()
    return true
  }

  private func editingRoot() -> (Node, RootContext)? { roots.filter { !$0.0.isReader }.randomElement(using: &random) }

  func saveRoot() async throws -> Bool {
    guard let root = editingRoot() else { return false }
    note("\(root.0.name).save")
    try await save([root])
    return true
  }

  /// Saves contexts at the same time, the first to ask first, and calls `body` when all have asked and none has an
  /// answer.
  private func save(_ roots: [(Node, RootContext)], _ body: () throws -> Void = {}) async throws {
    var places: [Int] = []
    for (node, _) in roots where !places.contains(place(of: node.name)) { places.append(place(of: node.name)) }
    let writers = places.map { HeldWriter(stores[$0]) }
    if places.count > 1 { servers[places[1]].connection.isConnected = false }
    for server in servers { server.mayLoseAnswer(using: &random) }
    var tasks: [(node: Node, isEmpty: Bool, task: Task<[Conflict], any Error>)] = []
    for (node, context) in roots {
      let task = Task { () throws -> [Conflict] in
        do {
          try await context.save("save")
          return []
        } catch SaveError.refused(let refusal) {
          return refusal.conflicts
        }
      }
      let isEmpty = node.oracle.layer.isEmpty
      // A save that takes something from drafts has the journal written first.
      if !isEmpty, node.draft != nil || node.oracle.hasTakenFromDrafts { candidates = [] }
      tasks.append((node, isEmpty, task))
      if isEmpty {
        _ = try await task.value
      } else {
        while !isSaving(context) { await Task.yield() }
        node.oracle.freeze()
      }
    }
    do {
      try body()
      writers[0].letGo()
    } catch {
      for writer in writers { writer.letGo() }
      throw error
    }
    var results = [try await tasks[0].task.value]
    if places.count > 1 {
      writers[1].letGo()
      let (context, server) = (roots[1].1, servers[places[1]])
      while isSaving(context), context.store.sharing?.status.waiting == 0 {
        try await Task.sleep(for: .milliseconds(1))
      }
      // A server refuses what contradicts the transactions that it has. This was before the first save.
      if !isSaving(context) {
        tasks.reverse()
        results.insert(try await tasks[0].task.value, at: 0)
      }
      server.connection.isConnected = true
    }
    for task in tasks.dropFirst(results.count) { results.append(try await task.task.value) }
    for (task, conflicts) in zip(tasks, results) {
      try finish(task.node, clashes(conflicts), wasEmpty: task.isEmpty)
    }
  }

  private func isSaving(_ context: RootContext) -> Bool { context.changes.isEmpty && context.hasChanges }

  private func finish(_ node: Node, _ found: [Clash], wasEmpty: Bool) throws {
    let expected = wasEmpty ? [] : node.oracle.finishSave()
    try expect(found, expected, "\(node.name): conflicts of a save")
    if !expected.isEmpty {
      note("\(expected.count) conflicts")
      if Bool.random(using: &random) {
        // A kill may still find what the journal was written with before the save.
        candidates.append(kept)
        note("\(node.name).discard")
        // The save had the journal written, with what is discarded now.
        candidates.append(kept)
        node.context.discard()
        node.oracle.discard()
      }
    }
  }

  /// Edits between the call of `save` and its return lie above what is saved.
  func saveWhileEditing() async throws -> Bool {
    guard let (node, context) = editingRoot(), !node.oracle.layer.isEmpty else { return false }
    note("\(node.name).save begins")
    let family = nodes.filter { other in
      var next: Node? = other
      while let it = next, it !== node { next = it.parent }
      return next != nil
    }
    let steps: [Step] = [
      .setAttribute, .typeAgain, .insert, .link, .delete, .undo, .discard, .saveChild, .group, .insertAgain, .redo,
    ]
    try await save([(node, context)]) {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        guard let other = family.randomElement(using: &random), let step = steps.randomElement(using: &random) else {
          break
        }
        _ = try edit(other, step)
      }
      try compareContexts(isSaving: true)
      note("\(node.name).save ends")
    }
    return true
  }

  /// Two contexts save at the same time: the one that asked first is first in the log.
  func saveTogether() async throws -> Bool {
    let pair = roots.filter { !$0.0.isReader && !$0.0.oracle.layer.isEmpty }.shuffled(using: &random)
    guard pair.count == 2 else { return false }
    note("\(pair[0].0.name).save and \(pair[1].0.name).save")
    try await save(pair)
    return true
  }

  // MARK: Kill and restore

  /// What a kill leaves of one moment.
  struct Kept {
    var drafts: [ObjectIdentifier: OracleContext.Draft] = [:]
    var screens: [Screen] = []
  }

  /// Drafts and screens as they are.
  var kept: Kept {
    var kept = Kept(screens: screens)
    for node in nodes where node.draft != nil { kept.drafts[ObjectIdentifier(node.oracle)] = node.oracle.draft }
    return kept
  }

  func relaunch() async throws -> Bool {
    let rebuilds = servers.isEmpty && Int.random(in: 0..<4, using: &random) == 0
    note(
      (losesTicks ? "killed before the journal was written" : "killed") + (rebuilds ? ", rebuilt" : "")
        + " and launched again")
    if !servers.isEmpty, Bool.random(using: &random) { try await saveWithoutAnswer() }
    restorations = [:]
    for (place, store) in stores.enumerated() {
      stores[place] = try await temporary[place].relaunch(losingTick: losesTicks, rebuilding: rebuilds)
      if store.sharing != nil { await store.abandon() }
    }
    try await followAll()
    let old = nodes
    nodes = []
    var contexts: [String: ChildContext]?
    var renewed: [ObjectIdentifier: Node] = [:]
    for node in old {
      guard let parent = node.parent else {
        let root = try makeRoot(node.name, node.draft, node.oracle)
        node.oracle.relaunch(keepingLayer: node.draft != nil)
        renewed[ObjectIdentifier(node)] = root
        nodes.append(root)
        continue
      }
      guard let draft = node.draft, let base = renewed[ObjectIdentifier(parent)] else { continue }
      node.oracle.relaunch(keepingLayer: true)
      // The roots are the first.
      if contexts == nil { contexts = try await contextsOfScreens() }
      let context = try contexts?[draft] ?? base.context.makeChild(draft: draft)
      let child = Node(node.name, context, node.oracle, parent: base, draft: draft)
      renewed[ObjectIdentifier(node)] = child
      nodes.append(child)
    }
    if contexts == nil { _ = try await contextsOfScreens() }
    if losesTicks { try findCandidate() }
    return true
  }

  /// The shared log takes the packet of a save, and the process is killed before it knows.
  private func saveWithoutAnswer() async throws {
    guard let (node, context) = editingRoot(), !node.oracle.layer.isEmpty else { return }
    let (place, store) = (place(of: node.name), context.store)
    let connection = servers[place].connection
    note("\(node.name).save, without an answer")
    if !losesTicks { try store.journal.write() }
    if node.draft != nil || node.oracle.hasTakenFromDrafts { candidates = [] }
    connection.keepAnswers()
    connection.loseNextAnswer(.afterAppending)
    connection.disconnectsAfterLostAnswer = true
    let writer = HeldWriter(store)
    let task = Task { try await context.save("save") }
    while !isSaving(context) { await Task.yield() }
    node.oracle.freeze()
    writer.letGo()
    while isSaving(context), connection.isConnected { try await Task.sleep(for: .milliseconds(1)) }
    if !connection.isConnected { await store.sharing?.end() }
    var found: [Clash] = []
    do {
      _ = try await task.value
    } catch SaveError.refused(let refusal) {
      found = clashes(refusal.conflicts)
    } catch SaveError.outcomeUnknown {}
    try expect(found, node.oracle.finishSave(), "\(node.name): conflicts of a save without an answer")
    candidates.append(kept)
    if !connection.isConnected { await store.abandon() }
  }

  /// All drafts and screens must be as they were at one and the same moment: no kill may find a change twice, or
  /// nowhere, nor a screen that is older or newer than what was typed in it.
  private func findCandidate() throws {
    var failure: (any Error)?
    for candidate in candidates.reversed() {
      for node in nodes where node.draft != nil {
        node.oracle.draft = candidate.drafts[ObjectIdentifier(node.oracle)] ?? ([:], [], [])
      }
      screens = candidate.screens
      do {
        try compareContexts()
        try compareScreens()
        // What looks the same may have more steps below it.
        for node in nodes where node.draft != nil {
          try expect(node.context.overlay.steps.count, node.oracle.steps.count, "\(node.name): steps")
        }
        note("the drafts are as they were \(candidates.count) steps after the last tick, or before")
        candidates = [candidate]
        return
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}
