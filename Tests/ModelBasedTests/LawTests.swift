import RepriseCore
import RepriseTestSeeds
import RepriseTesting
import XCTest

/// Laws of contexts, after random steps: what must be the same, whatever was done.
@MainActor
final class LawTests: XCTestCase {
  /// All that can be seen of a context, with its steps.
  private func image(_ node: Node, _ run: Run) throws -> [String] {
    let context = node.context
    var objects: [any PersistentModel] = []
    objects += try context.fetch(Fetch<Thing>()) as [any PersistentModel]
    objects += try context.fetch(Fetch<Holder>()) as [any PersistentModel]
    objects += try context.fetch(Fetch<Label>()) as [any PersistentModel]
    var image = objects.map { object in
      let members = run.objects.members(of: object).map { "\($0.slot): \($0.keys.sorted()) \($0.count)" }
      let key = run.objects.key(object._storage.id).map(\.description) ?? "none"
      return "\(key) \(run.objects.values(of: object)) \(members)"
    }
    image.sort()
    let changed = [context.changes.inserted, context.changes.updated, context.changes.deleted].map { ids in
      "\(ids.compactMap { run.objects.key($0) }.sorted())"
    }
    return image + changed + ["\(context.canUndo) \(context.undoName ?? "") \(context.canRedo) \(context.hasChanges)"]
  }

  private func prepared(_ seed: UInt64) async throws -> (run: Run, parent: Node) {
    let run = try await Run(seed: seed)
    try await run.steps(15)
    return (run, run.nodes[0])
  }

  private func child(_ name: String, of parent: Node, _ run: Run) -> Node {
    let oracle = OracleContext(run.log, parent: parent.oracle, isDraft: false)
    return Node(name, parent.context.makeChild(), oracle, parent: parent, draft: nil)
  }

  private func edit(_ node: Node, _ steps: [Run.Step], _ count: Int, _ run: Run) throws {
    for _ in 0..<count { if let step = steps.randomElement(using: &run.random) { _ = try run.edit(node, step) } }
  }

  private let anyEdit: [Run.Step] = [
    .insert, .insertGraph, .setAttribute, .typeAgain, .link, .linkBack, .member, .delete, .insertAgain, .group, .undo,
    .redo,
  ]

  func testDiscardLeavesTheParentAsItWas() async throws {
    var changed = 0
    for seed in testSeeds(40, from: 1) {
      let (run, parent) = try await prepared(seed)
      let before = try image(parent, run)
      let child = child("child", of: parent, run)
      try edit(child, anyEdit, 6, run)
      if child.context.hasChanges { changed += 1 }
      child.context.discard()
      XCTAssertEqual(try image(parent, run), before, "seed \(seed)")
      XCTAssertEqual(Array(try image(child, run).dropLast(4)), Array(before.dropLast(4)), "seed \(seed)")
    }
    XCTAssertGreaterThan(changed, 20)
  }

  func testASaveIntoTheParentThatIsDiscardedThereIsNothing() async throws {
    var saved = 0
    for seed in testSeeds(40, from: 1) {
      let (run, parent) = try await prepared(seed)
      parent.context.discard()
      parent.oracle.discard()
      let before = try image(parent, run)
      let child = child("child", of: parent, run)
      try edit(child, anyEdit, 6, run)
      // With nothing to save there is nothing to tell apart.
      guard child.context.hasChanges, let context = child.context as? ChildContext else { continue }
      try context.save("save")
      XCTAssertNotEqual(try image(parent, run), before, "seed \(seed)")
      parent.context.discard()
      XCTAssertEqual(try image(parent, run), before, "seed \(seed)")
      saved += 1
    }
    XCTAssertGreaterThan(saved, 20)
  }

  /// Unless they are in conflict, or claim one place of a one-to-one.
  func testSiblingsMaySaveInAnyOrder() async throws {
    var compared = 0
    for seed in testSeeds(60, from: 1) {
      var images: [[String]] = []
      for order in [[0, 1], [1, 0]] {
        let (run, parent) = try await prepared(seed)
        parent.context.discard()
        parent.oracle.discard()
        let siblings = [child("one", of: parent, run), child("two", of: parent, run)]
        for sibling in siblings { try edit(sibling, [.insert, .setAttribute, .typeAgain, .delete], 3, run) }
        do {
          for index in order { try (siblings[index].context as? ChildContext)?.save("save") }
        } catch SaveError.refused {
          continue
        }
        images.append(try image(parent, run))
      }
      guard images.count == 2 else { continue }
      XCTAssertEqual(images[0], images[1], "seed \(seed)")
      compared += 1
    }
    XCTAssertGreaterThan(compared, 20)
  }

  /// Children over their parents, and roots over each other.
  func testASaveUnderAnyPolicyGoesThroughAndWhatIsSavedIsWhatIsRead() async throws {
    let policies: [MergePolicy] = [
      .mine, .theirs, .overwrite, .rollBack, .custom { $0.attribute == nil ? .theirs : .mine },
    ]
    var settled = 0
    for seed in testSeeds(250, from: 1) {
      let (run, parent) = try await prepared(seed)
      let policy = policies[Int(seed % UInt64(policies.count))]
      guard let root = parent.context as? RootContext, let other = run.nodes[1].context as? RootContext else {
        continue
      }
      let child = child("child", of: parent, run)
      try edit(child, anyEdit, 5, run)
      try edit(parent, anyEdit, 5, run)
      try edit(run.nodes[1], anyEdit, 5, run)
      if let context = child.context as? ChildContext {
        if try !context.conflicts().isEmpty { settled += 1 }
        try context.save("save", merging: policy)
        XCTAssertEqual(try image(child, run).dropLast(4), try image(parent, run).dropLast(4), "seed \(seed)")
      }
      try await other.save(merging: .mine)
      if try !root.conflicts().isEmpty { settled += 1 }
      try await root.save(merging: policy)
      // A save of nothing stays where it is.
      try root.refresh()
      let fresh = Node("fresh", RootContext(run.store), OracleContext(run.log, isDraft: false), parent: nil, draft: nil)
      XCTAssertEqual(try image(parent, run).dropLast(4), try image(fresh, run).dropLast(4), "seed \(seed)")
      XCTAssertTrue(try StoreMaintenance.verifyNow(run.store).isSound, "seed \(seed)")
      try expectWholeReferences(fresh.context, "seed \(seed)")
    }
    XCTAssertGreaterThan(settled, 30)
  }

  private func expectWholeReferences(_ context: EditingContext, _ seed: String) throws {
    let things = try context.fetch(Fetch<Thing>())
    for thing in things {
      XCTAssertNotEqual(thing.holder?.state, .deleted, seed)
      XCTAssertNotEqual(thing.shelf?.state, .deleted, seed)
      XCTAssertNotEqual(thing.label?.state, .deleted, seed)
    }
    let labels = things.compactMap { $0.label?.id }
    XCTAssertEqual(labels.count, Set(labels).count, "one thing to a label, \(seed)")
    for holder in try context.fetch(Fetch<Holder>()) { XCTAssertNotEqual(holder.boss?.state, .deleted, seed) }
  }
}
