/// Two edits of one text, merged.
enum TextMerge {
  /// The part of a text that an edit replaced.
  private struct Splice {
    let range: Range<Int>
    let inserted: ArraySlice<Character>

    init(from old: [Character], to new: [Character]) {
      let start = zip(old, new).prefix { $0 == $1 }.count
      let rest = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
      range = start..<(old.count - rest)
      inserted = new[start..<(new.count - rest)]
    }
  }

  /// The present text with the edit of a person who saw `base`. Where both have edited the same part, both parts stay.
  static func text(_ mine: String, from base: String, into present: String) -> String {
    if base == present { return mine }
    let (old, now) = (Array(base), Array(present))
    let (edit, theirs) = (Splice(from: old, to: Array(mine)), Splice(from: old, to: now))
    let moved = theirs.inserted.count - theirs.range.count
    let range =
      if edit.range.lowerBound >= theirs.range.upperBound {
        edit.range.lowerBound + moved..<edit.range.upperBound + moved
      } else if edit.range.upperBound <= theirs.range.lowerBound {
        edit.range
      } else {
        theirs.range.upperBound + moved..<theirs.range.upperBound + moved
      }
    return String(now[..<range.lowerBound] + edit.inserted + now[range.upperBound...])
  }
}
