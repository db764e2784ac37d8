import RepriseEventStore

/// The elements of ``SortedRows`` in order, in chunks: an edit moves the elements of one chunk only.
struct RowChunks<Element: Identifiable> {
  private static var capacity: Int { 512 }

  /// None is empty.
  private var chunks: [[Element]] = []
  /// The number of elements before each chunk. After edits, it is wrong until ``count()``.
  private var starts: [Int] = []
  let precedes: @Sendable (Element, Element) -> Bool

  init(_ sorted: [Element], _ precedes: @escaping @Sendable (Element, Element) -> Bool) {
    self.precedes = precedes
    for start in stride(from: 0, to: sorted.count, by: Self.capacity / 2) {
      chunks.append(Array(sorted[start..<min(start + Self.capacity / 2, sorted.count)]))
    }
    count()
  }

  func rebuilt(_ elements: some Sequence<Element>) -> RowChunks {
    RowChunks(elements.sorted(by: precedes), precedes)
  }

  subscript(index: Int) -> Element {
    let chunk = starts.partitionPoint { $0 > index } - 1
    precondition(index >= 0 && chunk >= 0)
    return chunks[chunk][index - starts[chunk]]
  }

  /// The index of an element, which must exist.
  func index(of element: Element) -> Int {
    let place = place(of: element)
    return starts[place.chunk] + place.item
  }

  mutating func replace(_ old: Element, with new: Element) {
    let place = place(of: old)
    chunks[place.chunk][place.item] = new
  }

  mutating func remove(_ element: Element) {
    let place = place(of: element)
    chunks[place.chunk].remove(at: place.item)
    if chunks[place.chunk].isEmpty { chunks.remove(at: place.chunk) }
  }

  mutating func insert(_ element: Element) {
    if chunks.isEmpty { return chunks.append([element]) }
    let chunk = chunk(for: element)
    chunks[chunk].insert(element, at: chunks[chunk].partitionPoint { !precedes($0, element) })
    if chunks[chunk].count > Self.capacity {
      let half = Self.capacity / 2
      chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
      chunks[chunk].removeSubrange(half...)
    }
  }

  /// Counts the elements after edits, and joins chunks that became small. O(n / 512).
  mutating func count() {
    var at = 0
    while at + 1 < chunks.count {
      if chunks[at].count + chunks[at + 1].count <= Self.capacity / 2 {
        chunks[at] += chunks.remove(at: at + 1)
      } else {
        at += 1
      }
    }
    var sum = 0
    starts = chunks.map { chunk in
      defer { sum += chunk.count }
      return sum
    }
  }

  /// The last chunk whose first element does not sort after `element`, or the first chunk.
  private func chunk(for element: Element) -> Int { max(0, chunks.partitionPoint { precedes(element, $0[0]) } - 1) }

  private func place(of element: Element) -> (chunk: Int, item: Int) {
    let chunk = chunk(for: element)
    let item = chunks[chunk].partitionPoint { !precedes($0, element) }
    if chunks[chunk].indices.contains(item), chunks[chunk][item].id == element.id { return (chunk, item) }
    // Reached only if the program's order does not distinguish two rows, although it must.
    for chunk in chunks.indices {
      if let item = chunks[chunk].firstIndex(where: { $0.id == element.id }) { return (chunk, item) }
    }
    // invariant: SortedRows asks for elements that it put in.
    preconditionFailure()
  }
}

extension RowChunks: Sendable where Element: Sendable {}
