import RepriseObjectModel

/// Places in an array, by the UUIDs of what is there: what a `Dictionary` would do, in a fraction of its memory, which
/// is what a search in many waits for.
struct PlaceTable {
  private struct Slot {
    /// Of the UUID: tells most others apart without a look at the array.
    var hash: UInt32 = 0
    /// One more than the place; 0 where the slot is free, as half of them are at least.
    var entry: UInt32 = 0
  }

  /// Their number is a power of two.
  private var slots: [Slot]
  private var count = 0

  init(expecting count: Int) {
    var size = 64
    while size < count * 2 { size *= 2 }
    slots = Array(repeating: Slot(), count: size)
  }

  /// The place of a UUID for which `isIt` says yes.
  func find(_ uuid: UniqueID, _ isIt: (Int) -> Bool) -> Int? {
    let hash = Self.hash(uuid)
    var index = Int(hash) & (slots.count - 1)
    while slots[index].entry != 0 {
      let place = Int(slots[index].entry) - 1
      if slots[index].hash == hash, isIt(place) { return place }
      index = (index + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds a place that is not in the table.
  mutating func add(_ uuid: UniqueID, _ place: Int) {
    if count * 2 >= slots.count { grow() }
    enter(Slot(hash: Self.hash(uuid), entry: UInt32(place + 1)))
    count += 1
  }

  private mutating func enter(_ slot: Slot) {
    var index = Int(slot.hash) & (slots.count - 1)
    while slots[index].entry != 0 { index = (index + 1) & (slots.count - 1) }
    slots[index] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: old.count * 2)
    for slot in old where slot.entry != 0 { enter(slot) }
  }

  private static func hash(_ uuid: UniqueID) -> UInt32 { UInt32(truncatingIfNeeded: uuid.spread) }
}
