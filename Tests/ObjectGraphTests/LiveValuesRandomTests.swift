import RepriseEventStore
import RepriseObjectModel
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseObjectGraph

/// Live objects keep their values across edits and discards. Whatever is done, here, in a context above or below, in
/// one beside, or by others: what an object holds is what its context reads.
@MainActor
final class LiveValuesRandomTests: XCTestCase {
  private struct World {
    let root: RootContext
    let other: RootContext
    let contexts: [EditingContext]
    let items: [AnyObjectID]
    let people: [AnyObjectID]
    /// Held, so that they live.
    var held: [any PersistentModel] = []
  }

  private func world(_ test: TestStore) async throws -> World {
    let root = RootContext(test.store)
    root.followsHead = false
    let items = (0..<4).map { root.insert(Item(name: "\($0)")).id.any }
    let people = (0..<2).map { root.insert(Person(name: "\($0)")).id.any }
    try await root.save()
    let child = root.makeChild()
    let contexts: [EditingContext] = [root, child, root.makeChild(), child.makeChild()]
    return World(root: root, other: RootContext(test.store), contexts: contexts, items: items, people: people)
  }

  private func object<Model: PersistentModel>(
    _ type: Model.Type, _ id: AnyObjectID, in context: EditingContext, _ world: inout World
  ) -> Model? {
    if let live = context.liveInstance(of: id) { return live as? Model }
    guard let map = context.store.map.map(id.name) else { return nil }
    let object = context.materialize(id, map)
    world.held.append(object)
    return object as? Model
  }

  private func edit(
    _ context: EditingContext, _ kind: Int, _ world: inout World, _ random: inout SeededGenerator
  ) {
    guard let id = world.items.randomElement(using: &random),
      let item = object(Item.self, id, in: context, &world)
    else { return }
    let state = item._storage.currentState
    switch kind {
    case 0, 1, 2: item.name = ["a", "b"].randomElement(using: &random) ?? ""
    case 3, 4: item.valueInDollars = Int.random(in: 0..<2, using: &random)
    case 5, 6:
      let person = world.people.randomElement(using: &random).flatMap { object(Person.self, $0, in: context, &world) }
      item.owner = person?._storage.currentState == .deleted || Bool.random(using: &random) ? nil : person
    case 7: if state != .deleted { context.delete(item) }
    default: if state == .deleted { context.insert(item) }
    }
  }

  private func step(_ number: Int, _ world: inout World, _ random: inout SeededGenerator) async {
    let context = world.contexts.randomElement(using: &random) ?? world.root
    switch number {
    case 0..<12: edit(context, number % 9, &world, &random)
    case 12, 13: context.undo()
    case 14: context.redo()
    case 15, 16, 17: context.discard()
    case 18: try? (context as? ChildContext)?.save()
    case 19: _ = try? await world.root.save()
    case 20:
      edit(world.other, Int.random(in: 0..<7, using: &random), &world, &random)
      if (try? await world.other.save()) == nil { world.other.discard() }
    default: try? world.root.refresh()
    }
  }

  private func expectLiveAsRead(_ context: EditingContext, _ ids: [AnyObjectID], _ what: String) throws {
    for id in ids {
      guard let storage = context.liveInstance(of: id)?._storage, let state = storage.knownState else { continue }
      let reading = try context.reading(of: id, try XCTUnwrap(context.store.map.map(id.name)))
      switch state {
      case .live, .inserted:
        XCTAssertEqual(reading.values, storage.values, what)
        XCTAssertEqual(state == .inserted, context.isInserted(id), what)
      default: XCTAssertNil(reading.values, what)
      }
    }
  }

  func testWhatALiveObjectHoldsIsWhatItsContextReads() async throws {
    for seed in testSeeds(20, from: 1) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore()
      var world = try await world(test)
      for count in 0..<300 {
        let number = Int.random(in: 0..<22, using: &random)
        await step(number, &world, &random)
        for context in world.contexts + [world.other] {
          try expectLiveAsRead(context, world.items + world.people, "seed \(seed), step \(count), \(number)")
        }
        // Faults stay for some steps, and are read in others.
        if Bool.random(using: &random) { for object in world.held { _ = object._storage.currentState } }
      }
    }
  }
}
