#if canImport(Darwin)
import CoreFoundation
#else
@_spi(_Unicode) import Swift
#endif

/// The composed form of texts (Unicode's NFC). Canonically equivalent texts have the same bytes in it.
///
/// Its UTF-8 bytes sort as its scalars do, so index keys, comparisons and sections that are made of it agree.
package enum ComposedText {
  /// Passes the UTF-8 of the composed form to `body` in pieces, until it returns false. Composes no further than that.
  static func forEachPiece(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) {
    var text = text
    let isDone = text.withUTF8 { utf8 in
      guard isComposed(utf8) else { return false }
      _ = body(utf8)
      return true
    }
    if isDone { return }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4) { piece in
      for scalar in scalars(of: text) {
        let (_, length) = piece.initialize(from: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        if !body(UnsafeBufferPointer(rebasing: piece[..<length])) { return }
      }
    }
  }

  /// The UTF-8 of the composed form. O(length).
  package static func bytes(of text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    forEachPiece(of: text) { piece in
      bytes.append(contentsOf: piece)
      return true
    }
    return bytes
  }

  /// The composed form, for texts that name something in a file. Equal strings can have different bytes, but the same
  /// composed form. O(length).
  package static func composed(_ text: String) -> String { String(decoding: bytes(of: text), as: UTF8.self) }

  /// The first scalar of the composed form. `nil` for the empty text.
  package static func firstScalar(of text: String) -> Unicode.Scalar? {
    guard let first = text.unicodeScalars.first else { return nil }
    // No scalar below U+0300 combines with the scalar before it. So if the first two are below, the first one needs no
    // composing.
    if text.unicodeScalars.dropFirst().first.map({ $0.value < 0x300 }) ?? true, first.value < 0x300 { return first }
    for scalar in scalars(of: text) { return scalar }
    return nil
  }

  /// The order of two texts, by the scalars of their composed forms. O(length up to the first difference), if both are
  /// recognised as composed.
  ///
  /// Not the `<` of strings. Swift 6.3 orders two texts wrongly if one is not composed and begins the other ("e\u{301}"
  /// against "éé").
  package static func order(_ left: String, _ right: String) -> ValueOrder {
    var (left, right) = (left, right)
    let quick: ValueOrder? = left.withUTF8 { l in
      right.withUTF8 { r in isComposed(l) && isComposed(r) ? ValueOrder(of: l, against: r) : nil }
    }
    return quick ?? ValueOrder(of: scalars(of: left), against: scalars(of: right))
  }

  /// Whether the text is certainly composed, because it has no scalar from U+0300 on, where the combining scalars
  /// begin. True for ASCII and for most texts in western languages.
  package static func isComposed(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool { !utf8.contains { $0 >= 0xCC } }

  #if canImport(Darwin)
  private static func scalars(of text: String) -> String.UnicodeScalarView {
    guard let copy = CFStringCreateMutableCopy(nil, 0, text as CFString) else { return text.unicodeScalars }
    CFStringNormalize(copy, .C)
    return (copy as String).unicodeScalars
  }
  #else
  private static func scalars(of text: String) -> some Sequence<Unicode.Scalar> { text._nfc }
  #endif
}
