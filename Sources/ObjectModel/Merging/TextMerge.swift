/// Combines two edits of one text if they change different places.
///
/// The units are words: a run of letters and digits, and each other character by itself. So two edits of one word are
/// never mixed into a third word.
enum TextMerge {
  /// The text with both edits. `nil` if they touch: they change the same words, or insert at the same place.
  static func merged(base: String, mine: String, theirs: String) -> String? {
    let base = words(base)
    guard let mine = edits(of: base, words(mine)), let theirs = edits(of: base, words(theirs)) else { return nil }
    var merged: [Substring] = []
    var (next, other) = (mine[...], theirs[...])
    var place = 0
    while let edit = [next.first, other.first].compactMap({ $0 }).min(by: { $0.range.lowerBound < $1.range.lowerBound })
    {
      if let first = next.first, let second = other.first, first.touches(second) {
        // Both made the same edit.
        guard first.range == second.range, first.words == second.words else { return nil }
        (next, other) = (next.dropFirst(), other.dropFirst())
      } else if next.first?.range == edit.range {
        next = next.dropFirst()
      } else {
        other = other.dropFirst()
      }
      merged += base[place..<edit.range.lowerBound]
      merged += edit.words
      place = edit.range.upperBound
    }
    merged += base[place...]
    return merged.joined()
  }

  private struct Edit {
    /// The replaced range.
    let range: Range<Int>
    let words: ArraySlice<Substring>

    /// Whether both edits change the same words, or their order is unclear.
    func touches(_ other: Edit) -> Bool {
      if range.overlaps(other.range) { return true }
      guard range.isEmpty || other.range.isEmpty else { return false }
      return range.lowerBound <= other.range.upperBound && other.range.lowerBound <= range.upperBound
    }
  }

  private static func words(_ text: String) -> [Substring] {
    var words: [Substring] = []
    var start = text.startIndex
    var index = start
    while index < text.endIndex {
      let isInWord = text[index].isLetter || text[index].isNumber
      index = text.index(after: index)
      if isInWord, index < text.endIndex, text[index].isLetter || text[index].isNumber { continue }
      words.append(text[start..<index])
      start = index
    }
    return words
  }

  /// The most words between the first and the last change for a comparison word by word. The comparison takes place
  /// within a commit. Its cost is the number of words times the number of differences. Beyond that, all changes are one
  /// edit.
  private static let most = 2_000

  /// The edits from one text to the other. `nil` if there are none.
  private static func edits(of base: [Substring], _ text: [Substring]) -> [Edit]? {
    var start = 0
    while start < base.count, start < text.count, base[start] == text[start] { start += 1 }
    var end = 0
    let rest = min(base.count, text.count) - start
    while end < rest, base[base.count - 1 - end] == text[text.count - 1 - end] { end += 1 }
    let (old, new) = (base[start..<base.count - end], text[start..<text.count - end])
    if old.isEmpty && new.isEmpty { return nil }
    guard old.count <= most, new.count <= most else { return [Edit(range: old.indices, words: new)] }
    var removed = Set<Int>()
    var inserted = Set<Int>()
    for change in Array(new).difference(from: Array(old)) {
      switch change {
      case .remove(let offset, _, _): removed.insert(start + offset)
      case .insert(let offset, _, _): inserted.insert(start + offset)
      }
    }
    var edits: [Edit] = []
    var (place, other) = (old.startIndex, new.startIndex)
    while place < old.endIndex || other < new.endIndex {
      let (from, first) = (place, other)
      while place < old.endIndex, removed.contains(place) { place += 1 }
      while other < new.endIndex, inserted.contains(other) { other += 1 }
      if place > from || other > first {
        edits.append(Edit(range: from..<place, words: new[first..<other]))
      } else {
        (place, other) = (place + 1, other + 1)
      }
    }
    return edits
  }
}
