extension Array {
  /// The first index such that all elements from there on satisfy a condition, or `count` if none do. No element before
  /// it may satisfy the condition. O(log n).
  @inlinable package func partitionPoint(_ holds: (Element) -> Bool) -> Int {
    partitionPoint { element, _ in holds(element) }
  }

  /// The same for a condition on an element and its index.
  @inlinable package func partitionPoint(_ holds: (Element, Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle], middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
