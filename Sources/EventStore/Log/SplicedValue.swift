import RepriseObjectModel

/// A text or bytes to which many splices are applied one after the other: bytes with a gap where the last one was.
///
/// What is typed is near to what was typed before, so a splice moves few bytes. As a value each would copy them all,
/// and look through a text for malformed ones.
struct SplicedValue {
  private let isText: Bool
  private var bytes: [UInt8]
  private var gap: Range<Int>

  /// `nil` if a splice of this kind does not fit the value.
  init?(_ value: PropertyValue, isText: Bool) {
    switch value {
    case .string(let text) where isText: bytes = Array(text.utf8)
    case .bytes(let old) where !isText: bytes = old
    default: return nil
    }
    self.isText = isText
    gap = bytes.count..<bytes.count
  }

  /// False if the splice does not fit; then nothing has changed.
  mutating func apply(_ splice: Splice) -> Bool {
    guard splice.isText == isText, splice.offset <= bytes.count - gap.count,
      splice.removed.count <= bytes.count - gap.count - splice.offset
    else { return false }
    move(gapTo: splice.offset)
    let end = gap.upperBound + splice.removed.count
    let fits = bytes.withUnsafeBytes {
      UnsafeRawBufferPointer(rebasing: $0[gap.upperBound..<end]).isSame(as: splice.removed)
    }
    guard fits else { return false }
    gap = gap.lowerBound..<end
    if gap.count < splice.inserted.count { widen(by: splice.inserted.count) }
    bytes.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[gap.lowerBound...]).copyMemory(from: splice.inserted)
    }
    gap = gap.lowerBound + splice.inserted.count..<gap.upperBound
    return true
  }

  /// `nil` if it is no text.
  var value: PropertyValue? {
    let whole = bytes[..<gap.lowerBound] + bytes[gap.upperBound...]
    return isText ? String(validating: whole, as: UTF8.self).map { .string($0) } : .bytes(Array(whole))
  }

  private mutating func move(gapTo offset: Int) {
    let (gap, count) = (gap, offset - gap.lowerBound)
    bytes.withUnsafeMutableBytes {
      if count < 0 {
        UnsafeMutableRawBufferPointer(rebasing: $0[(gap.upperBound + count)...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<gap.lowerBound]))
      } else {
        UnsafeMutableRawBufferPointer(rebasing: $0[gap.lowerBound...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[gap.upperBound..<gap.upperBound + count]))
      }
    }
    self.gap = offset..<gap.upperBound + count
  }

  /// By so many bytes, and as many again as there are, so that most splices find room.
  private mutating func widen(by count: Int) {
    let more = count + max(256, bytes.count / 8)
    bytes.insert(contentsOf: repeatElement(0, count: more), at: gap.upperBound)
    gap = gap.lowerBound..<gap.upperBound + more
  }
}

/// The values of an object that are being taken back splice by splice, by slot.
struct SplicedValues {
  private var values: [Int: SplicedValue] = [:]

  /// Applies a splice to a value, or to what earlier ones made of it. False if it does not fit.
  mutating func apply(_ splice: Splice, to value: PropertyValue, _ slot: Int) -> Bool {
    guard var spliced = values.removeValue(forKey: slot) ?? SplicedValue(value, isText: splice.isText) else {
      return false
    }
    defer { values[slot] = spliced }
    return spliced.apply(splice)
  }

  /// Forgets all, as of an object that is replaced as a whole.
  mutating func dropAll() { values = [:] }

  /// Puts a value in its place. False if it is no text.
  mutating func settle(_ slot: Int, in all: inout LogEvent.Values) -> Bool {
    guard !values.isEmpty, let spliced = values.removeValue(forKey: slot) else { return true }
    guard let value = spliced.value else { return false }
    all[slot] = value
    return true
  }

  /// Puts all values in their places. False if one is no text.
  mutating func settleAll(in all: inout LogEvent.Values?) -> Bool {
    guard !values.isEmpty, var changed = all else { return true }
    for slot in Array(values.keys) where !settle(slot, in: &changed) { return false }
    all = changed
    return true
  }
}
