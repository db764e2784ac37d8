import RepriseObjectModel

/// The live instances of a context by ID: one per object.
///
/// Weak: an object that nobody holds is read again when it is next asked for. What is left of those that are gone is
/// cleared when the map is full. A table of its own, as a `Dictionary` takes longer to make its type in a fresh process
/// than to hold what a screen shows, and an array of weak references beside a ``HashIndex`` half as long again to find
/// a live object, which is what every access through an ID and every discard does.
final class IdentityMap {
  private struct Place {
    let id: AnyObjectID
    weak var object: (any PersistentModel)?
  }

  // Safe: `isTaken` tells which of the places are initialized, both live and die with the map, and nothing runs while
  // one of these is accessed.
  @exclusivity(unchecked) private var places: UnsafeMutablePointer<Place>
  @exclusivity(unchecked) private var isTaken: UnsafeMutablePointer<Bool>
  /// Of places: a power of two. Half of them are free, so that a search, which goes on behind a taken place, ends.
  @exclusivity(unchecked) private(set) var size: Int
  @exclusivity(unchecked) private var count = 0
  /// Whether it grew since ``trim()`` looked last.
  @exclusivity(unchecked) private var hasGrown = false

  private static let least = 128

  init() { (places, isTaken, size) = Self.allocate(Self.least) }

  deinit { free() }

  private static func allocate(_ size: Int) -> (UnsafeMutablePointer<Place>, UnsafeMutablePointer<Bool>, Int) {
    let isTaken = UnsafeMutablePointer<Bool>.allocate(capacity: size)
    isTaken.initialize(repeating: false, count: size)
    return (.allocate(capacity: size), isTaken, size)
  }

  private func free() {
    for index in 0..<size where isTaken[index] { (places + index).deinitialize(count: 1) }
    places.deallocate()
    isTaken.deallocate()
  }

  /// The live instance of an object, if somebody holds it.
  func object(_ id: AnyObjectID) -> (any PersistentModel)? {
    let index = place(of: id)
    return isTaken[index] ? places[index].object : nil
  }

  /// The instances that somebody holds.
  var live: [any PersistentModel] {
    var live: [any PersistentModel] = []
    for index in 0..<size where isTaken[index] {
      if let object = places[index].object { live.append(object) }
    }
    return live
  }

  /// Whether nobody holds an instance. Ends at the first that somebody does; gives back the room if there is none.
  func isEmptyOfLiveOnes() -> Bool {
    for index in 0..<size where isTaken[index] && places[index].object != nil { return false }
    if count > 0 { makeRoom() }
    return true
  }

  /// Gives back the room of those that are gone: looks at all after it has grown, else only whether none is left.
  func trim() {
    if size == Self.least { return }
    if hasGrown { makeRoom() } else { _ = isEmptyOfLiveOnes() }
    hasGrown = false
  }

  /// Enters an object, in the place of an earlier instance.
  func insert(_ object: any PersistentModel, _ id: AnyObjectID) {
    if count * 2 >= size { makeRoom() }
    let index = place(of: id)
    if isTaken[index] {
      places[index].object = object
    } else {
      enter(object, id, at: index)
    }
  }

  private func enter(_ object: any PersistentModel, _ id: AnyObjectID, at index: Int) {
    (places + index).initialize(to: Place(id: id, object: object))
    isTaken[index] = true
    count += 1
  }

  /// Where the ID is, or the free place for it.
  private func place(of id: AnyObjectID) -> Int {
    let mask = size - 1
    var index = Int(truncatingIfNeeded: id.uuid.spread) & mask
    while isTaken[index], places[index].id != id { index = (index + 1) & mask }
    return index
  }

  /// Leaves at least seven of eight places free.
  private func makeRoom() {
    // Held to the end: none of them is let go, which might run code of its class, while the map is half made.
    let live = live
    var room = Self.least
    while room < live.count * 8 { room *= 2 }
    if room > size { hasGrown = true }
    free()
    (places, isTaken, size) = Self.allocate(room)
    count = 0
    for object in live {
      let id = object._storage.id
      enter(object, id, at: place(of: id))
    }
    withExtendedLifetime(live) {}
  }
}
