/// The parts of an order key, from bytes that may be damaged.
struct ParsedOrderKey {
  let tag: OrderKey.Tag
  /// The bytes between the tag and the end of the key, with each `00 FF` as it is.
  let content: UnsafeRawBufferPointer
  let length: Int

  /// Parses the key at the beginning of `bytes`. `nil` if none is there.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let first = bytes.first, let tag = OrderKey.Tag(rawValue: first) else { return nil }
    self.tag = tag
    switch tag {
    case .null, .bool, .int, .unsigned, .double, .date, .uuid, .reference, .blob:
      let width = Self.width(tag)
      guard bytes.count > width else { return nil }
      content = UnsafeRawBufferPointer(rebasing: bytes[1..<1 + width])
      length = 1 + width
    case .string, .bytes:
      var at = 1
      while at + 1 < bytes.count, bytes[at] != 0 || bytes[at + 1] == 0xFF { at += bytes[at] == 0 ? 2 : 1 }
      guard at + 1 < bytes.count, bytes[at + 1] == 0 else { return nil }
      content = UnsafeRawBufferPointer(rebasing: bytes[1..<at])
      length = at + 2
    }
  }

  private static func width(_ tag: OrderKey.Tag) -> Int {
    switch tag {
    case .null, .string, .bytes: 0
    case .bool: 1
    case .int, .unsigned, .double, .date: 8
    case .uuid, .reference: 16
    case .blob: 40
    }
  }

  /// The value. A reference is returned as a UUID, because the key does not name the entity.
  var value: PropertyValue {
    switch tag {
    case .null: .null
    case .string: .string(String(decoding: unescaped, as: UTF8.self))
    case .bytes: .bytes(unescaped)
    case .bool: .bool(content[0] != 0)
    case .int: .int(Int64(bitPattern: number(at: 0) ^ OrderKey.signBit))
    case .unsigned: .unsigned(number(at: 0))
    case .double: .double(Self.double(number(at: 0)))
    case .date: .date(Self.double(number(at: 0)))
    case .uuid, .reference: .uuid(UniqueID(high: number(at: 0), low: number(at: 8)))
    case .blob:
      .blob(
        Blob(
          byteCount: Int(clamping: number(at: 32)),
          words: (number(at: 0), number(at: 8), number(at: 16), number(at: 24))))
    }
  }

  private var unescaped: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count)
    var at = 0
    while at < content.count {
      bytes.append(content[at])
      at += content[at] == 0 ? 2 : 1
    }
    return bytes
  }

  private func number(at offset: Int) -> UInt64 {
    UInt64(bigEndian: content.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private static func double(_ bits: UInt64) -> Double {
    Double(bitPattern: bits & OrderKey.signBit == 0 ? ~bits : bits ^ OrderKey.signBit)
  }
}
