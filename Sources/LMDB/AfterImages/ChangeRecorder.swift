import CRepriseChecksums

/// Collects the changes of a write transaction, in the bytes of an after-image.
///
/// It copies each row once, and allocates only in the first transaction. If the changes need more room than a place
/// has, it drops them, and the transaction commits without an after-image.
@usableFromInline struct ChangeRecorder {
  /// It records no table with a greater handle. No store has so many tables.
  private static let mostTables = 256

  private var bytes: UnsafeMutableRawPointer?
  /// By the handle of a table: its number in the after-image, from 1. 0 for a table without changes.
  private var numbers: UnsafeMutablePointer<UInt8>?
  private var tableCount: UInt8 = 0
  private var count = AfterImage.headerSize
  /// The number of changes, without the names of tables.
  private var changeCount = 0
  private var hasRoom = true

  /// Forgets all changes.
  mutating func begin() {
    if bytes == nil {
      bytes = .allocate(byteCount: ImagePlaces.room, alignment: 8)
      numbers = .allocate(capacity: Self.mostTables)
    }
    numbers?.initialize(repeating: 0, count: Self.mostTables)
    (tableCount, count, changeCount, hasRoom) = (0, AfterImage.headerSize, 0, true)
  }

  func deallocate() {
    bytes?.deallocate()
    numbers?.deallocate()
  }

  /// Adds a change that is about to be made, because the change may move the bytes of its key and its value.
  ///
  /// - Parameters:
  ///   - handle: LMDB's number of the table.
  ///   - name: The name of the table.
  /// - Returns: For ``remove(from:)``.
  @discardableResult
  mutating func add(
    _ kind: AfterImage.Kind, _ handle: UInt32, _ name: String,
    key: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    value: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) -> Int {
    changeCount += 1
    guard hasRoom, let number = number(handle, name) else { return count }
    let start = count
    append(kind, number, key, value)
    return start
  }

  /// Removes a change that was not made.
  mutating func remove(from start: Int) {
    count = start
    changeCount -= 1
  }

  /// The number of a table, which its first change introduces. `nil` if there is no room.
  private mutating func number(_ handle: UInt32, _ name: String) -> UInt8? {
    guard let numbers, handle < Self.mostTables else {
      hasRoom = false
      return nil
    }
    let known = numbers[Int(handle)]
    if known > 0 { return known - 1 }
    var name = name
    let number = tableCount
    name.withUTF8 { append(.table, number, UnsafeRawBufferPointer($0), UnsafeRawBufferPointer(start: nil, count: 0)) }
    guard hasRoom, tableCount < .max else { return nil }
    tableCount += 1
    numbers[Int(handle)] = tableCount
    return number
  }

  private mutating func append(
    _ kind: AfterImage.Kind, _ table: UInt8, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) {
    let end = count + AfterImage.changeHeaderSize + key.count + value.count
    guard end <= ImagePlaces.room, let bytes else {
      hasRoom = false
      return
    }
    let head =
      UInt64(kind.rawValue) | UInt64(table) << 8 | UInt64(UInt16(key.count)) << 16
      | UInt64(UInt32(value.count)) << 32
    var place = bytes + count
    place.storeBytes(of: head.littleEndian, as: UInt64.self)
    place += AfterImage.changeHeaderSize
    if let start = key.baseAddress { place.copyMemory(from: start, byteCount: key.count) }
    if let start = value.baseAddress { (place + key.count).copyMemory(from: start, byteCount: value.count) }
    count = end
  }

  /// The after-image. `nil` if the changes are too many, or if nothing was changed. LMDB then commits nothing, so an
  /// after-image would belong to a later transaction.
  func image(of commit: Int, _ base: AfterImageBase) -> UnsafeRawBufferPointer? {
    guard hasRoom, changeCount > 0, let bytes else { return nil }
    bytes.storeBytes(of: UInt32(count).littleEndian, toByteOffset: 4, as: UInt32.self)
    bytes.storeBytes(of: UInt64(commit).littleEndian, toByteOffset: 8, as: UInt64.self)
    bytes.storeBytes(of: base.freePages.littleEndian, toByteOffset: 16, as: UInt64.self)
    bytes.storeBytes(of: base.main.littleEndian, toByteOffset: 24, as: UInt64.self)
    bytes.storeBytes(of: base.lastPage.littleEndian, toByteOffset: 32, as: UInt64.self)
    bytes.storeBytes(of: base.heads.littleEndian, toByteOffset: 40, as: UInt32.self)
    let image = UnsafeRawBufferPointer(start: bytes, count: count)
    bytes.storeBytes(of: AfterImage.checksum(image, count).littleEndian, as: UInt32.self)
    return image
  }
}
