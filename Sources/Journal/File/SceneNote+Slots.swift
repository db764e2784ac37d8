import RepriseLog
import RepriseObjectModel
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The slots of the file that the launches of all scenes share.
///
/// A scene's hash chooses one bucket of each segment, and a segment has four times the buckets of the segment before. A
/// scene has a slot in the first of its buckets that had room. So finding a slot reads one bucket for few scenes, and
/// two or three for thousands.
extension SceneNote {
  // A slot has the hash of its scene, then the note as a file would have it.
  private static let (slotSize, slotsInBucket, hashSize, segments) = (128, 4, 16, 10)
  /// The most bytes of a note in a slot, with its size and its checksum.
  static let slotRoom = slotSize - hashSize
  /// Instead of a note whose scene has a file for it: a size that no note has, and no checksum.
  static var elsewhere: [UInt8] { [UInt8](repeating: 0xFF, count: 4) + [UInt8](repeating: 0, count: 4) }
  /// The byte that a process locks while it gives a scene a slot.
  private static let lock: off_t = 1 << 62

  /// A scene's slot: its place, which is -1 if it has none, and the bytes after the hash.
  func find(_ hash: [UInt8]) -> (place: Int, bytes: [UInt8]?, isElsewhere: Bool) {
    withFile(toWrite: false) { descriptor in
      guard descriptor >= 0, case let found = Self.look(for: hash, descriptor), found.place >= 0 else {
        return (-1, nil, false)
      }
      return (found.place, found.bytes, found.bytes[..<8] == Self.elsewhere[...])
    }
  }

  /// Writes the bytes after the hash of a scene's slot, which is made if there is none. False if that fails.
  ///
  /// - Parameter place: Of the slot, or -1 if it is not known.
  func put(_ bytes: [UInt8], of hash: [UInt8], at place: inout Int) -> Bool {
    withFile(toWrite: true) { descriptor in
      guard descriptor >= 0 else { return false }
      if place < 0 { place = Self.look(for: hash, descriptor).place }
      if place >= 0 { return Self.write(bytes, at: place + Self.hashSize, descriptor) }
      // Another process may be about to use the same slot.
      guard (try? ByteLock.take(.exclusive, Self.lock, of: descriptor, withinMilliseconds: 50)) == true else {
        return false
      }
      defer { ByteLock.release(Self.lock..<Self.lock + 1, of: descriptor) }
      let found = Self.look(for: hash, descriptor)
      let free = found.place >= 0 ? found.place : found.free
      guard free >= 0, Self.write(hash + bytes, at: free, descriptor) else { return false }
      place = free
      return true
    }
  }

  /// The hash of the removed slot has only 255, because the buckets after it may have slots.
  func removeSlot(of hash: [UInt8]) {
    withFile(toWrite: false) { descriptor in
      if descriptor < 0 { return }
      var removed = [UInt8](repeating: 0, count: Self.slotSize)
      for place in 0..<Self.hashSize { removed[place] = 0xFF }
      // After a power cut, a scene may have a slot in two segments.
      for _ in 0..<Self.segments {
        let place = Self.look(for: hash, descriptor).place
        guard place >= 0, Self.write(removed, at: place, descriptor) else { return }
      }
    }
  }

  /// Finds the slot of a scene, and if it has none, the first that it can have. A place is -1 if there is none.
  @inline(never)
  private static func look(for hash: [UInt8], _ descriptor: Int32) -> (place: Int, free: Int, bytes: [UInt8]) {
    var number: UInt = 0
    for place in 0..<8 { number = number << 8 | UInt(hash[place]) }
    var (first, buckets, free) = (0, 16, -1)
    var bytes = [UInt8](repeating: 0, count: slotSize * slotsInBucket)
    for _ in 0..<segments {
      let start = (first + Int(number % UInt(buckets))) * bytes.count
      let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(start)) }
      // Without this, a slot that is in use would seem free.
      if count < 0 { return (-1, -1, []) }
      // Slots beyond the end of the file are unused.
      for place in count..<bytes.count { bytes[place] = 0 }
      var slot = 0
      while slot < bytes.count {
        var (isWanted, isUnused, isRemoved) = (true, true, true)
        for place in 0..<hashSize {
          let byte = bytes[slot + place]
          if byte != hash[place] { isWanted = false }
          if byte != 0 { isUnused = false }
          if byte != 0xFF { isRemoved = false }
        }
        if isWanted { return (start + slot, free, Array(bytes[slot + hashSize..<slot + slotSize])) }
        if free < 0, isUnused || isRemoved { free = start + slot }
        if isUnused { return (-1, free, []) }
        slot += slotSize
      }
      (first, buckets) = (first + buckets, buckets * 4)
    }
    return (-1, free, [])
  }

  @inline(never)
  private static func write(_ bytes: [UInt8], at place: Int, _ descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(place)) == $0.count }
  }
}
