import RepriseEventStore
import RepriseSystem

/// The stores that a scene's screens edit: the one with the archive, and those of registered contexts. These are not
/// held: a document's store ends when the program lets go of it.
final class EditedStores: Sendable {
  private let archive: any ArchiveStorage
  private let others = Guarded<[@Sendable () -> (any DraftStorage)?]>([])
  /// Called with each that is added.
  private let onNew = Guarded<(@Sendable @MainActor (any DraftStorage) -> Void)?>(nil)

  init(_ archive: any ArchiveStorage) { self.archive = archive }

  /// All that can be written to, that of the archive first, on any thread.
  var all: [any DraftStorage] { [archive] + elsewhere }

  /// Those that can be written to and do not have the archive. What was typed in a store that is closed is kept.
  var elsewhere: [any DraftStorage] {
    others.withLock { others in others.compactMap { $0() } }.filter(\.isWritable)
  }

  /// Something of a store is registered, or was made by a factory, and nodes may edit in it from here on: even after it
  /// was taken back, as nodes keep what they have.
  @MainActor func add(_ storage: any DraftStorage) {
    if storage.identity == archive.identity { return }
    guard storage.isWritable else {
      // Nobody edits in it before.
      Task { [weak self] in if (try? await storage.ready()) != nil { self?.add(storage) } }
      return
    }
    let isNew = others.withLock { others in
      // What is gone leaves its identity to others.
      others.removeAll { $0() == nil }
      if others.contains(where: { $0()?.identity == storage.identity }) { return false }
      others.append(storage.weakly)
      return true
    }
    if isNew { onNew.withLock { $0 }?(storage) }
  }

  /// Flushes these, each whether or not others can be: one disk may be full, and another not.
  ///
  /// - Returns: The first failure.
  @MainActor func flush(_ stores: [any DraftStorage], durable: Bool) async -> StoreError? {
    var failure: StoreError?
    for store in stores {
      do throws(StoreError) { try await store.flush(durable: durable) } catch {
        // What was closed meanwhile is written.
        if store.identity == archive.identity || store.isWritable { failure = failure ?? error }
      }
    }
    return failure
  }

  /// Calls `body` with those that are there, but for that of the archive, and with each that is added.
  @MainActor func follow(_ body: @escaping @Sendable @MainActor (any DraftStorage) -> Void) {
    onNew.withLock { $0 = body }
    for storage in elsewhere { body(storage) }
  }
}
