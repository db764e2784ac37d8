/// Finds the elements that can keep their places, so that the fewest have to move.
package enum LongestIncreasing {
  /// The indices, ascending, of a longest increasing subsequence of different numbers. O(n log n).
  package static func indices(of numbers: [Int]) -> [Int] {
    // At `length - 1`: the index of the least number that ends an increasing subsequence of this length.
    var ends: [Int] = []
    var previous = [Int?](repeating: nil, count: numbers.count)
    for index in numbers.indices {
      let place = ends.partitionPoint { numbers[$0] >= numbers[index] }
      previous[index] = place > 0 ? ends[place - 1] : nil
      if place < ends.count { ends[place] = index } else { ends.append(index) }
    }
    var kept: [Int] = []
    var next = ends.last
    while let index = next {
      kept.append(index)
      next = previous[index]
    }
    return kept.reversed()
  }
}
