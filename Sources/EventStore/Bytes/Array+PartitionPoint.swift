extension Array {
  /// The first index whose element satisfies a condition that all behind it satisfy too, or the count. O(log n).
  func partitionPoint(_ holds: (Element) -> Bool) -> Int { partitionPoint { element, _ in holds(element) } }

  /// As above, for a condition on an element and its index.
  func partitionPoint(_ holds: (Element, Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle], middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
