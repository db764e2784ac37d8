extension [UInt8] {
  /// The next one of its length, as bytes sort. `nil` behind the last.
  package var nextOfItsLength: [UInt8]? {
    guard let place = lastIndex(where: { $0 != 0xFF }) else { return nil }
    var next = self
    next[place] += 1
    for later in next.indices[(place + 1)...] { next[later] = 0 }
    return next
  }
}
