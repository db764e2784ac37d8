/// A reference to an object that only one isolation uses.
// Safe: weak references are read atomically, only the isolation gets the object, and only it releases it.
final class IsolatedReference: @unchecked Sendable {
  private weak var object: AnyObject?
  private var retained: (any SceneOwner)?
  let isolation: (any Actor)?

  init(_ object: AnyObject, in isolation: (any Actor)?) {
    self.object = object
    self.isolation = isolation
  }

  /// Retains an owner until ``release()``.
  init(retaining owner: any SceneOwner) {
    object = owner
    retained = owner
    isolation = owner.isolation
  }

  var isGone: Bool { object == nil }

  /// The retained owner, for its isolation.
  func owner(in isolation: (any Actor)?) -> (any SceneOwner)? { self.isolation === isolation ? retained : nil }

  /// Stops retaining the owner. Call it in the isolation, because the owner may be freed.
  func release() { retained = nil }

  /// The object, for its isolation. `nil` for other isolations, and once the object is released.
  func object(in isolation: (any Actor)?) -> AnyObject? { self.isolation === isolation ? object : nil }
}

/// The objects of a kind in this process, without retaining them.
struct IsolatedReferences: Sendable {
  // An array of objects, because all of these arrays share one type, which exists when a process starts.
  private(set) var all: [IsolatedReference] = []
  private var limit = 8

  /// Adds an object. If the list is full, released objects leave it first, so an addition costs O(1) on average.
  mutating func append(_ reference: IsolatedReference) {
    if all.count >= limit {
      all.removeAll { $0.isGone }
      limit = max(8, all.count * 2)
    }
    all.append(reference)
  }
}
