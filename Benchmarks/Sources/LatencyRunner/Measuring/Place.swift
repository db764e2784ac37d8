/// Where a worker works: on the cached store, or on a copy if it changes it.
final class Place {
  private let stores: StoreCache
  private let shape: StoreShape
  let peer: Peer
  private let changes: Bool
  private let freshly: Bool
  private var copy: ScratchStore?

  init(stores: StoreCache, shape: StoreShape, peer: Peer, changes: Bool, freshly: Bool = false) {
    self.stores = stores
    self.shape = shape
    self.peer = peer
    self.changes = changes
    self.freshly = freshly
  }

  func prepare() throws { _ = try stores.store(shape, of: peer) }

  /// The copy is made for the first round, and kept for the next ones unless each needs a new one.
  func path() throws -> String {
    guard changes else { return try stores.store(shape, of: peer) }
    if let copy, !freshly { return copy.path }
    copy = nil
    let made = try stores.copy(shape, of: peer)
    copy = made
    return made.path
  }

  func leave() { copy = nil }
}
