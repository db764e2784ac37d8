import CRepriseChecksums
import RepriseObjectModel

/// A gap buffer: a text or bytes for many splices in sequence, stored with a gap at the last splice.
///
/// Edits are mostly near the last edit, so a splice moves few bytes. In a `PropertyValue`, each splice would copy all
/// bytes, and check a text for malformed bytes.
@usableFromInline
package struct SplicedBytes: Sendable {
  package let isText: Bool
  @usableFromInline private(set) var bytes: [UInt8]
  @usableFromInline private(set) var gap: Range<Int>

  private init(_ bytes: [UInt8], isText: Bool) {
    self.bytes = bytes
    self.isText = isText
    gap = bytes.count..<bytes.count
  }

  /// `nil` if the value is neither a text nor bytes.
  package init?(_ value: PropertyValue) {
    switch value {
    case .string(let text): self.init(Array(text.utf8), isText: true)
    case .bytes(let bytes): self.init(bytes, isText: false)
    default: return nil
    }
  }

  /// Reads a value with its tag. `nil` if the value is neither a text nor bytes.
  package init?(_ value: UnsafeRawBufferPointer) {
    guard let content = value.longContent else { return nil }
    self.init([UInt8](content.bytes), isText: content.isText)
  }

  @inlinable package var count: Int { bytes.count - gap.count }

  /// False if the splice does not fit. Then nothing has changed.
  package mutating func apply(_ splice: Splice) -> Bool {
    guard splice.isText == isText, splice.offset <= count, splice.removed.count <= count - splice.offset else {
      return false
    }
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

  /// Widens the gap by `count` bytes, and by the present size, so that most splices find room.
  private mutating func widen(by count: Int) {
    let more = count + max(256, bytes.count / 8)
    bytes.insert(contentsOf: repeatElement(0, count: more), at: gap.upperBound)
    gap = gap.lowerBound..<gap.upperBound + more
  }
}

// MARK: Reading

extension SplicedBytes {
  /// Lends the bytes before the gap, and those behind it.
  fileprivate func lend<Result>(
    _ body: (_ head: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer) -> Result
  ) -> Result {
    bytes.withUnsafeBytes {
      body(
        UnsafeRawBufferPointer(rebasing: $0[..<gap.lowerBound]), UnsafeRawBufferPointer(rebasing: $0[gap.upperBound...])
      )
    }
  }

  /// `nil` if it is no text.
  package var value: PropertyValue? {
    let whole = bytes[..<gap.lowerBound] + bytes[gap.upperBound...]
    return isText ? String(validating: whole, as: UTF8.self).map { .string($0) } : .bytes(Array(whole))
  }

  package var crc32c: UInt32 {
    lend { head, tail in
      reprise_crc32c(reprise_crc32c(0, head.baseAddress, head.count), tail.baseAddress, tail.count)
    }
  }

  /// Whether these are the bytes of a value with its tag.
  package func isSame(as value: UnsafeRawBufferPointer) -> Bool {
    guard let content = value.longContent, content.isText == isText, content.bytes.count == count else { return false }
    return lend { head, tail in
      head.isSame(as: UnsafeRawBufferPointer(rebasing: content.bytes[..<head.count]))
        && tail.isSame(as: UnsafeRawBufferPointer(rebasing: content.bytes[head.count...]))
    }
  }

  package func isSame(as other: SplicedBytes) -> Bool {
    isText == other.isText
      && bytes[..<gap.lowerBound] + bytes[gap.upperBound...]
        == other.bytes[..<other.gap.lowerBound] + other.bytes[other.gap.upperBound...]
  }

  /// The last offset up to this one that is not inside a character.
  package func boundary(before offset: Int) -> Int {
    var offset = min(max(0, offset), count)
    while isText, offset > 0, offset < count, self[offset] & 0xC0 == 0x80 { offset -= 1 }
    return offset
  }

  private subscript(offset: Int) -> UInt8 { bytes[offset < gap.lowerBound ? offset : offset + gap.count] }
}

extension ByteWriter {
  /// Writes the value with its tag.
  package mutating func value(_ spliced: SplicedBytes) {
    append((spliced.isText ? ValueTag.string : .bytes).rawValue)
    varint(spliced.count)
    spliced.lend { head, tail in
      append(head)
      append(tail)
    }
  }
}
