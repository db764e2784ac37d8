#if canImport(Darwin)
import CoreFoundation
#else
@_spi(_Unicode) import Swift
#endif

extension ComposedText {
  /// The text without its diacritics: the canonical decomposition without the nonspacing marks of a combining class
  /// above 9. To be composed by the caller.
  ///
  /// Classes up to 9 are overlays, nuktas, the voicing marks of kana, and viramas. Class 0 has the vowels of Indic
  /// scripts. All these are parts of a letter, not marks on it.
  package static func withoutDiacritics(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var kept = String.UnicodeScalarView()
    for scalar in decomposed(text) {
      let isMark =
        scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass.rawValue > 9
        && scalar.properties.generalCategory == .nonspacingMark
      if !isMark { kept.append(scalar) }
    }
    return String(kept)
  }

  #if canImport(Darwin)
  static func decomposed(_ text: String) -> String.UnicodeScalarView {
    guard let copy = CFStringCreateMutableCopy(nil, 0, text as CFString) else { return text.unicodeScalars }
    CFStringNormalize(copy, .D)
    return (copy as String).unicodeScalars
  }
  #else
  static func decomposed(_ text: String) -> some Sequence<Unicode.Scalar> { text._nfd }
  #endif
}
