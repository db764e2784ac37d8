extension Array {
  /// Sorts like `sort(by:)`, but not stably.
  ///
  /// For arrays that are short or rarely sorted. The compiler copies a sort for each type of element, and this one has
  /// a tenth of the code of the standard library's.
  @inlinable package mutating func heapSort(by precedes: (Element, Element) -> Bool) {
    var end = count
    var start = count / 2
    while end > 1 {
      if start > 0 {
        start -= 1
      } else {
        end -= 1
        swapAt(0, end)
      }
      var parent = start
      while parent * 2 + 1 < end {
        var child = parent * 2 + 1
        if child + 1 < end, precedes(self[child], self[child + 1]) { child += 1 }
        if !precedes(self[parent], self[child]) { break }
        swapAt(parent, child)
        parent = child
      }
    }
  }
}

extension Sequence {
  /// The elements, sorted like `heapSort(by:)`.
  @inlinable package func heapSorted(by precedes: (Element, Element) -> Bool) -> [Element] {
    var elements = Array(self)
    elements.heapSort(by: precedes)
    return elements
  }
}
