extension Duration: AttributeValue {
  /// A duration is stored as bytes. The order of the bytes is the order of the durations.
  public static var attributeKind: AttributeKind { .bytes }

  /// The stored form: the number of attoseconds as 16 big-endian bytes, with the sign bit inverted.
  public var propertyValue: PropertyValue {
    let (seconds, attoseconds) = components
    let number = Int128(seconds) * 1_000_000_000_000_000_000 + Int128(attoseconds)
    let ordered = UInt128(bitPattern: number) ^ (1 << 127)
    return .bytes(withUnsafeBytes(of: ordered.bigEndian) { [UInt8]($0) })
  }

  /// The stored form of zero seconds.
  public static var zeroForm: PropertyValue { Duration.zero.propertyValue }

  /// Converts a stored value. Returns `nil` for another kind, and for malformed bytes.
  public static func from(_ value: PropertyValue) -> Duration? {
    guard case .bytes(let bytes) = value, bytes.count == 16 else { return nil }
    let ordered = bytes.withUnsafeBytes { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    let number = Int128(bitPattern: ordered ^ (1 << 127))
    let (seconds, attoseconds) = number.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    guard let seconds = Int64(exactly: seconds) else { return nil }
    return Duration(secondsComponent: seconds, attosecondsComponent: Int64(attoseconds))
  }
}
