import RepriseEventStore
import RepriseObjectGraph
import RepriseSystem

/// The stores that a scene's screens edit: the store with the archive, and the stores of registered contexts. The
/// latter are not retained: the store of a document ends when the program releases it.
final class EditedStores: Sendable {
  private let archive: any ArchiveStorage
  private let isolation: any Actor
  private let others = Guarded<[@Sendable () -> (any DraftStorage)?]>([])
  /// Called with each store that is added.
  // Safe: only the isolation uses it.
  private nonisolated(unsafe) var onNew: ((any DraftStorage) -> Void)?

  init(_ archive: any ArchiveStorage, in isolation: any Actor) {
    self.archive = archive
    self.isolation = isolation
  }

  /// All writable stores, with the archive's store first. Can be used on any thread.
  var all: [any DraftStorage] { [archive] + elsewhere }

  /// All other writable stores. Edits in a closed store are already written.
  var elsewhere: [any DraftStorage] {
    others.withLock { others in others.compactMap { $0() } }.filter(\.isWritable)
  }

  /// From now on, nodes may edit in the store of a registered or made context. This also holds after the context is
  /// unregistered, because nodes keep their contexts.
  func add(_ storage: any DraftStorage) {
    if storage.identity == archive.identity { return }
    guard storage.isWritable else {
      // No screen edits in the store before it is open.
      weak var stores = self
      _ = ContextTurn.task(on: isolation) {
        if (try? await storage.ready()) != nil { stores?.add(storage) }
      }
      return
    }
    let isNew = others.withLock { others in
      // A new store can have the identity of a store that was freed.
      others.removeAll { $0() == nil }
      if others.contains(where: { $0()?.identity == storage.identity }) { return false }
      others.append(storage.weakly)
      return true
    }
    if isNew { onNew?(storage) }
  }

  /// Flushes each of these stores, even if another one fails. For example, only one disk may be full.
  ///
  /// - Returns: The first failure.
  nonisolated(nonsending) func flush(_ stores: [any DraftStorage], durable: Bool) async -> StoreError? {
    var failure: StoreError?
    for store in stores {
      do throws(StoreError) { try await store.flush(durable: durable) } catch {
        // Closing a store writes its edits.
        if store.identity == archive.identity || store.isWritable { failure = failure ?? error }
      }
    }
    return failure
  }

  /// Calls `body` with each of the other stores, now and whenever one is added.
  func follow(_ body: @escaping (any DraftStorage) -> Void) {
    onNew = body
    for storage in elsewhere { body(storage) }
  }
}
