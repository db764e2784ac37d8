extension [UInt8] {
  /// The next key of the same length, in the order of bytes. `nil` for the last one.
  package var nextOfItsLength: [UInt8]? {
    guard let place = lastIndex(where: { $0 != 0xFF }) else { return nil }
    var next = self
    next[place] += 1
    for later in next.indices[(place + 1)...] { next[later] = 0 }
    return next
  }
}
