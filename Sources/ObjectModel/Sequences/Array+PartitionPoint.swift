extension Array {
  /// The first index whose element satisfies a condition, or `count`. All elements after that one must satisfy the
  /// condition, and none before it. O(log n).
  @inlinable package func partitionPoint(_ holds: (Element) -> Bool) -> Int {
    partitionPoint { element, _ in holds(element) }
  }

  /// Like ``partitionPoint(_:)``, for a condition on an element and its index.
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
