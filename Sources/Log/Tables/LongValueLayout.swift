/// The chunks of a long value, and which of them change with a part of it.
struct LongValueLayout {
  private struct Chunk {
    let order: UInt64
    let start: Int
    let end: Int
  }

  private var chunks: [Chunk] = []

  /// Adds the next chunk.
  mutating func add(_ order: UInt64, _ length: Int) {
    let start = chunks.last?.end ?? 0
    chunks.append(Chunk(order: order, start: start, end: start + length))
  }

  func isOf(length: Int) -> Bool { chunks.last?.end == length }

  /// The chunks to write, by order and as a range of the new value, and the chunks to remove.
  struct Plan {
    var written: [(order: UInt64, range: Range<Int>)] = []
    var removed: [UInt64] = []
  }

  /// `nil` if there is no order left between two chunks. Then the whole value is written again.
  func plan(for splice: Splice) -> Plan? {
    let growth = splice.inserted.count - splice.removed.count
    let (first, last) = touched(splice.offset..<splice.offset + splice.removed.count, growth)
    let start = chunks[first].start
    let size = chunks[last].end - start + growth
    let pieces = size == 0 ? 0 : ValueChunk.count(of: size)
    guard let orders = orders(pieces, first, last) else { return nil }
    var plan = Plan(removed: chunks[first...last].dropFirst(pieces).map(\.order))
    for (place, order) in orders.enumerated() {
      plan.written.append((order, (start + size * place / pieces)..<(start + size * (place + 1) / pieces)))
    }
    return plan
  }

  /// The chunks that contain a change, and a neighbour if little is left of them. Otherwise many changes would lead to
  /// ever smaller chunks.
  private func touched(_ changed: Range<Int>, _ growth: Int) -> (first: Int, last: Int) {
    var first = 0
    var end = chunks.count
    // The last one that does not begin behind the change.
    while end - first > 1 {
      let middle = (first + end) / 2
      if chunks[middle].start <= changed.lowerBound { first = middle } else { end = middle }
    }
    var last = first
    while chunks[last].end < changed.upperBound, last + 1 < chunks.count { last += 1 }
    if chunks[last].end - chunks[first].start + growth < ValueChunk.maximum / 4 {
      if last + 1 < chunks.count { last += 1 } else if first > 0 { first -= 1 }
    }
    return (first, last)
  }

  /// The orders of `count` pieces that replace some chunks. The orders of these chunks are used first.
  private func orders(_ count: Int, _ first: Int, _ last: Int) -> [UInt64]? {
    var orders = chunks[first...last].prefix(count).map(\.order)
    let more = UInt64(count - orders.count)
    if more == 0 { return orders }
    let low = chunks[last].order
    let high = last + 1 < chunks.count ? chunks[last + 1].order : UInt64.max
    let step = min((high - low) / (more + 1), LongValueKey.gap)
    if step == 0 { return nil }
    for place in 1...more { orders.append(low + step * place) }
    return orders
  }
}
