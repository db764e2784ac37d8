import Dispatch
import RepriseLMDB
import RepriseObjectModel
import RepriseQuery
import RepriseSystem
import RepriseTestModels
import XCTest

import RepriseEventStore
import RepriseObjectGraph

/// Which thread commits a save, and who waits for it.
@MainActor
final class CommitLeaderTests: XCTestCase {
  /// The threads that decided conflicts, which is part of the commit.
  private final class Committers: Sendable {
    let threads = Guarded<[UInt]>([])

    /// Notes the thread, and calls `body`.
    func policy(_ body: @escaping @Sendable () -> Void = {}) -> MergePolicy {
      .custom { _ in
        self.threads.withLock { $0.append(SystemThread.current) }
        body()
        return .mine
      }
    }
  }

  /// An object with the name "one". Afterwards nobody writes.
  private func saved(in test: TestStore) async throws -> Item.ID {
    let context = RootContext(test.store)
    let item = context.insert(Item(name: "one"))
    try await context.save()
    try await wait("the end of the commit") { !test.store.writer.load.isWriting }
    return item.id
  }

  /// Lets other jobs of the main actor run until something holds.
  private func wait(_ what: String, until isDone: () throws -> Bool) async throws {
    for _ in 0..<5000 {
      if try isDone() { return }
      try await Task.sleep(nanoseconds: 1_000_000)
    }
    XCTFail("waited in vain: \(what)")
  }

  private func waitForSaves(_ count: Int, _ store: Store) async throws {
    try await wait("\(count) saves in the queue") { store.writer.load.waiting == count }
  }

  private func expectSound(_ store: Store) throws {
    XCTAssertTrue(try StoreMaintenance.verifyNow(store).isSound)
  }

  func testASaveOfTheMainActorDoesNotBlockItsThread() async throws {
    let test = try TestStore()
    let id = try await saved(in: test)
    let (context, committers) = (RootContext(test.store), Committers())
    try test.store.makeConflict(of: id, in: context)
    try await context.save(merging: committers.policy())
    let threads = committers.threads.withLock { $0 }
    XCTAssertFalse(threads.isEmpty)
    XCTAssertFalse(threads.contains(SystemThread.current))
    XCTAssertEqual(try context.object(id).name, "mine")
  }

  func testASaveOfABackgroundContextIsNotHandedOver() async throws {
    let test = try TestStore()
    let (store, id) = (test.store, try await saved(in: test))
    let (threads, own) = try await BackgroundContext(store).perform { context in
      let committers = Committers()
      try store.makeConflict(of: id, in: context)
      try await context.save(merging: committers.policy())
      return (committers.threads.withLock { $0 }, SystemThread.current)
    }
    XCTAssertEqual(Set(threads), [own])
    try expectSound(store)
  }

  func testABlockingSaveIsNotHandedOver() async throws {
    let test = try TestStore()
    let (store, id) = (test.store, try await saved(in: test))
    let (threads, own) = try await SystemThread.run { () throws in
      let (context, committers) = (RootContext(store), Committers())
      try store.makeConflict(of: id, in: context)
      let position = try context.saveAndWait("Rename", merging: committers.policy())
      XCTAssertEqual(position, context.position)
      XCTAssertEqual(try store.log.transaction(at: position)?.name, "Rename")
      XCTAssertFalse(context.hasChanges)
      XCTAssertEqual(try context.saveAndWait(), position)
      return (committers.threads.withLock { $0 }, SystemThread.current)
    }
    XCTAssertEqual(Set(threads), [own])
    try expectSound(store)
  }

  func testASaveDuringACallersCommitEnds() async throws {
    let test = try TestStore()
    let (store, id) = (test.store, try await saved(in: test))
    let (isCommitting, mayGoOn) = (WakeUp(), WakeUp())
    let first = Task.detached {
      try await BackgroundContext(store).perform { context in
        try store.makeConflict(of: id, in: context)
        return try await context.save(
          merging: Committers().policy {
            isCommitting.wake()
            mayGoOn.wait(until: nil)
          })
      }
    }
    await SystemThread.run { isCommitting.wait(until: nil) }
    // A save with a draft cannot join the commit.
    let context = try RootContext(store, draft: "editor")
    context.insert(Item(name: "two"))
    let second = Task { try await context.save() }
    try await waitForSaves(1, store)
    mayGoOn.wake()
    let positions = [try await first.value, try await second.value]
    XCTAssertLessThan(positions[0], positions[1])
    try expectSound(store)
  }

  func testABlockingSaveWaitsForTheSavesBeforeIt() async throws {
    let test = try TestStore()
    let store = test.store
    let context = RootContext(store)
    context.insert(Item(name: "one"))
    let release = store.holdWriter()
    let first = Task { try await context.save() }
    try await waitForSaves(1, store)
    let second = Task.detached {
      try await SystemThread.run { () throws in
        let context = RootContext(store)
        context.insert(Item(name: "two"))
        return try context.saveAndWait()
      }
    }
    try await waitForSaves(2, store)
    release()
    let positions = [try await first.value, try await second.value]
    XCTAssertLessThan(positions[0], positions[1])
  }

  func testBlockingSavesOfManyThreadsAreAllCommitted() async throws {
    let test = try TestStore()
    let store = test.store
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          try await SystemThread.run { () throws in
            for _ in 0..<20 {
              let context = RootContext(store)
              context.insert(Item(name: "one"))
              try context.saveAndWait()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    XCTAssertEqual(try RootContext(store).count(Fetch<Item>()), 160)
    try expectSound(store)
  }

  func testAfterACallersFailedCommitTheNextOneEnds() async throws {
    let test = try TestStore()
    let (store, id) = (test.store, try await saved(in: test))
    let map = try XCTUnwrap(store.map.map(Item.entity.interned))
    let background = BackgroundContext(store)
    let isRefused = try await background.perform { context in
      try context.object(id).name = "mine"
      try store.damageRecords([id.any], map)
      do {
        try await context.save()
        return false
      } catch SaveError.store(.damaged) {
        context.discard()
        return true
      }
    }
    XCTAssertTrue(isRefused)
    let first = try await background.perform { context in
      context.insert(Item(name: "two"))
      return try await context.save()
    }
    let context = RootContext(store)
    context.insert(Item(name: "three"))
    let second = try await context.save()
    XCTAssertEqual(second, first + 1)
  }

  func testABackgroundContextStaysFreeBehindAWriter() async throws {
    let test = try TestStore()
    let store = test.store
    let background = BackgroundContext(store)
    let release = await store.holdEnvironment()
    let save = Task {
      try await background.perform { context in
        context.insert(Item(name: "one"))
        return try await context.save()
      }
    }
    try await wait("the save") { store.writer.load.isWriting }
    let head = store.log.head
    let position = await background.perform { $0.position }
    XCTAssertEqual(position, head)
    release()
    let saved = try await save.value
    XCTAssertEqual(saved, head + 1)
  }

  func testACancelledSaveEndsBehindAnotherWriter() async throws {
    let test = try TestStore()
    let store = test.store
    let contexts = ["first", "cancelled"].map { name in
      let context = RootContext(store)
      context.insert(Item(name: name))
      return context
    }
    let release = await store.holdEnvironment()
    let saves = contexts.map { context in Task { try await context.save() } }
    try await wait("the saves") { contexts.allSatisfy { $0.changes.isEmpty } }
    saves[1].cancel()
    do {
      _ = try await saves[1].value
      XCTFail("saved")
    } catch is CancellationError {}
    XCTAssertTrue(contexts[1].hasChanges)
    XCTAssertTrue(contexts[0].changes.isEmpty, "it still waits")
    release()
    let first = try await saves[0].value
    let second = try await contexts[1].save()
    XCTAssertEqual(second, first + 1)
  }

  func testACancelledBackgroundSaveEndsBehindAWriter() async throws {
    let test = try TestStore()
    let store = test.store
    let background = BackgroundContext(store)
    let release = await store.holdEnvironment()
    let save = Task {
      try await background.perform { context in
        context.insert(Item(name: "one"))
        do {
          try await context.save()
          return false
        } catch is CancellationError {
          return context.hasChanges
        }
      }
    }
    save.cancel()
    let isCancelled = try await save.value
    XCTAssertTrue(isCancelled)
    release()
    let context = RootContext(store)
    context.insert(Item(name: "two"))
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Item>()), 1)
  }

  func testASaveByAnObserverOfASaveIsCommitted() async throws {
    let test = try TestStore()
    let (store, id) = (test.store, try await saved(in: test))
    let names = try await SystemThread.run { () throws in
      let context = RootContext(store)
      let item = try context.object(id)
      var saves = 0
      let observer = context.observe(Self.self) {
        guard !context.hasChanges, saves == 0 else { return }
        saves += 1
        item.name = "three"
        do { try context.saveAndWait() } catch { XCTFail("\(error)") }
      }
      item.name = "two"
      try context.saveAndWait()
      context.removeObserver(observer)
      XCTAssertFalse(context.hasChanges)
      XCTAssertEqual(context.position, store.log.head)
      return [item.name, try RootContext(store).object(id).name]
    }
    XCTAssertEqual(names, ["three", "three"])
    try expectSound(store)
  }

  func testABlockingSaveOfAClosedStoreIsRefused() async throws {
    let test = try TestStore()
    let store = test.store
    try await store.close()
    try await SystemThread.run { () throws in
      let context = RootContext(store)
      context.insert(Item(name: "one"))
      XCTAssertThrowsError(try context.saveAndWait()) { error in
        guard case SaveError.store(.closed) = error else { return XCTFail("\(error)") }
      }
      XCTAssertTrue(context.hasChanges)
    }
  }
}

extension Store {
  /// Renames an object called "one" to "mine" in a context, and to "theirs" as another process would.
  fileprivate func makeConflict(of id: Item.ID, in context: RootContext) throws {
    try context.object(id).name = "mine"
    try appendAsAnotherProcess([
      (id.any, .updated([PropertyChange(slot: 0, old: .string("one"), new: .string("theirs"))]))
    ])
  }

  /// Writes in the environment until the returned function is called, beside the store's writer.
  fileprivate func holdEnvironment() async -> @Sendable () -> Void {
    let (isHeld, mayGoOn) = (WakeUp(), WakeUp())
    _ = SystemThread.start {
      try? self.environment.write { (_) throws(StorageError) in
        isHeld.wake()
        mayGoOn.wait(until: nil)
      }
    }
    await SystemThread.run { isHeld.wait(until: nil) }
    return { mayGoOn.wake() }
  }
}
