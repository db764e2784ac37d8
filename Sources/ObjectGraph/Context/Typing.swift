import RepriseEventStore
import RepriseObjectModel

/// The effect of an assignment on a text: an insertion or a deletion at one place.
struct Typing {
  private let isInsertion: Bool
  /// The possible starts of the inserted or deleted part, in bytes of UTF-8. If "a" became "aa", either of the two may
  /// be the inserted one.
  private let starts: ClosedRange<Int>
  private let count: Int
  private let firstIsSpace: Bool
  private let lastIsSpace: Bool
  /// Whether a word ends within the part.
  private let hasWordEnd: Bool

  private var ends: ClosedRange<Int> { starts.lowerBound + count...starts.upperBound + count }

  /// `nil` if the assignment both deleted and inserted.
  init?(from old: PropertyValue, to new: PropertyValue) {
    guard var old = Self.text(old), var new = Self.text(new) else { return nil }
    let typing: Typing? = old.withUTF8 { old in
      new.withUTF8 { new in Typing(from: UnsafeRawBufferPointer(old), to: UnsafeRawBufferPointer(new)) }
    }
    guard let typing else { return nil }
    self = typing
  }

  private static func text(_ value: PropertyValue) -> String? {
    switch value {
    case .null: ""
    case .string(let text): text
    default: nil
    }
  }

  private init?(from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer) {
    let splice = Splice(from: old, to: new, isText: true)
    guard splice.removed.isEmpty != splice.inserted.isEmpty else { return nil }
    isInsertion = splice.removed.isEmpty
    let (whole, part) = isInsertion ? (new, splice.inserted) : (old, splice.removed)
    count = part.count
    var first = splice.offset
    // If the byte before the part equals the last byte of the part, the part may also begin one byte earlier.
    while first > 0, whole[first - 1] == whole[first - 1 + count] { first -= 1 }
    starts = first...splice.offset
    var (last, hasWordEnd, firstIsSpace) = (true, false, nil as Bool?)
    for scalar in String(decoding: part, as: UTF8.self).unicodeScalars {
      let isSpace = scalar.properties.isWhitespace
      if firstIsSpace != nil, isSpace, !last { hasWordEnd = true }
      firstIsSpace = firstIsSpace ?? isSpace
      last = isSpace
    }
    (self.firstIsSpace, lastIsSpace, self.hasWordEnd) = (firstIsSpace ?? false, last, hasWordEnd)
  }

  /// Whether this assignment belongs to the same step as the previous one.
  func continues(_ previous: Typing) -> Bool {
    if isInsertion != previous.isInsertion || hasWordEnd || previous.hasWordEnd { return false }
    if isInsertion { return starts.overlaps(previous.ends) && !(firstIsSpace && !previous.lastIsSpace) }
    // The backspace key deletes the text before the previous deletion. The delete key deletes the text after it.
    if ends.overlaps(previous.starts) { return !(previous.firstIsSpace && !lastIsSpace) }
    return starts.overlaps(previous.starts) && !(firstIsSpace && !previous.lastIsSpace)
  }
}
