internal import CRepriseRuntime
import RepriseObjectModel

/// The live instances of a context by ID, at most one per object.
///
/// It does not retain objects. An object that was released is read again on its next use. Entries of released objects
/// are cleared when the map is full. It is a separate hash table, because instantiating a `Dictionary` type in a new
/// process takes longer than filling it with a screen's objects. An array of references beside a ``HashIndex`` would
/// take half as long again to find a live object, on every access through an ID and in every discard.
final class IdentityMap {
  /// An unowned reference, with a check before each use whether the object is alive. A weak reference would give each
  /// object a side table, which would slow down every later retain and release: by a tenth of the cost of an object.
  private struct Place {
    let id: AnyObjectID
    // Keeps the memory of a released object, so that the runtime can check it.
    private unowned let reference: any PersistentModel
    private let address: UnsafeMutableRawPointer

    init(_ object: any PersistentModel, _ id: AnyObjectID) {
      self.id = id
      reference = object
      address = Unmanaged.passUnretained(object as AnyObject).toOpaque()
    }

    /// `nil` once it is released, or is being released.
    var object: (any PersistentModel)? {
      guard let retained = swift_tryRetain(address) else { return nil }
      defer { Unmanaged<AnyObject>.fromOpaque(retained).release() }
      return reference
    }
  }

  // Safe: `isTaken` marks the initialized places, both buffers live as long as the map, and no other code runs during
  // an access.
  @exclusivity(unchecked) private var places: UnsafeMutablePointer<Place>
  @exclusivity(unchecked) private var isTaken: UnsafeMutablePointer<Bool>
  /// The number of places, a power of two. At least half are free, so that linear probing ends.
  @exclusivity(unchecked) private(set) var size: Int
  @exclusivity(unchecked) private var count = 0
  /// Whether the map grew since the last ``trim()``.
  @exclusivity(unchecked) private var hasGrown = false

  /// The places of a map with an object or two. A server has thousands of such contexts.
  private static let least = 8
  /// The fewest places of any other map. Growing to them step by step would cost each restored screen.
  private static let usual = 128

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

  /// The live instance of an object. `nil` if there is none.
  func object(_ id: AnyObjectID) -> (any PersistentModel)? {
    let index = place(of: id)
    return isTaken[index] ? places[index].object : nil
  }

  /// All live instances.
  var live: [any PersistentModel] {
    var live: [any PersistentModel] = []
    for index in 0..<size where isTaken[index] {
      if let object = places[index].object { live.append(object) }
    }
    return live
  }

  /// Whether there is no live instance. Stops at the first live instance. Frees memory if there is none.
  func isEmptyOfLiveOnes() -> Bool {
    for index in 0..<size where isTaken[index] && places[index].object != nil { return false }
    if count > 0 { makeRoom() }
    return true
  }

  /// Frees the memory of released objects: examines all entries if the map has grown, otherwise only tests whether any
  /// is live.
  func trim() {
    if size == Self.least { return }
    if hasGrown { makeRoom() } else { _ = isEmptyOfLiveOnes() }
    hasGrown = false
  }

  /// Makes room for `further` more objects, so that the table is rebuilt only once.
  func reserve(_ further: Int) { if further * 2 > size { makeRoom(for: further) } }

  /// Inserts an object, replacing an earlier instance.
  func insert(_ object: any PersistentModel, _ id: AnyObjectID) {
    if count * 2 >= size { makeRoom() }
    let index = place(of: id)
    if isTaken[index] {
      places[index] = Place(object, id)
    } else {
      enter(object, id, at: index)
    }
  }

  private func enter(_ object: any PersistentModel, _ id: AnyObjectID, at index: Int) {
    (places + index).initialize(to: Place(object, id))
    isTaken[index] = true
    count += 1
  }

  /// The index of the ID, or of the free place for it.
  private func place(of id: AnyObjectID) -> Int {
    let mask = size - 1
    var index = Int(truncatingIfNeeded: id.uuid.spread) & mask
    while isTaken[index], places[index].id != id { index = (index + 1) & mask }
    return index
  }

  /// Rebuilds the table. At least seven of eight places are free then, and at least half of them after `further` more
  /// objects.
  private func makeRoom(for further: Int = 0) {
    // The objects are retained until the end, because releasing an object might run code of its class while the table
    // is incomplete.
    let live = live
    var room = live.count + further < Self.least / 2 ? Self.least : Self.usual
    while room < max(live.count * 8, (live.count + further) * 2 + 1) { room *= 2 }
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
