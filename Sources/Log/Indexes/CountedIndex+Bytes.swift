extension [UInt8] {
  @inlinable package init(copying bytes: RawSpan) {
    self = bytes.withUnsafeBytes { [UInt8]($0) }
  }

  /// The length of the common prefix.
  func sharedPrefix(with other: [UInt8]) -> Int {
    let limit = Swift.min(count, other.count)
    var length = 0
    while length < limit && self[length] == other[length] { length += 1 }
    return length
  }
}
