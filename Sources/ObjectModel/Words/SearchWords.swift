/// The words of texts, as searches and their indexes know them.
///
/// A word is a run of letters, marks and digits (Unicode's categories L, M and N, and private characters). All other
/// characters are separators, as in SQLite's tokenizer `unicode61`. Case and diacritics are ignored. A word is the
/// lower-case form of its upper-case form, by Unicode's full mappings and in no particular language, without the marks
/// that ``ComposedText/withoutDiacritics(_:)`` drops, composed. So "Straße" is "STRASSE", and "ς" is "σ". Only the
/// first ``lengthLimit`` bytes of UTF-8 of a word count.
///
/// Scripts that put no spaces between words (``UnspacedScripts``) give a word for each character. A search then looks
/// for such characters next to each other.
///
/// Characters that Unicode marks as ignorable (soft hyphens, joiners, variation selectors) are skipped, except the
/// zero-width space, which separates. A mark without a letter before it is not a word.
package enum SearchWords {
  /// Change this number when the words of any text change. Search indexes of another version are built again.
  ///
  /// A newer Unicode in the standard library changes words only of texts with characters that it did not know before.
  /// This is version 1 with the data of Unicode 16.
  package static let version: UInt32 = 1

  /// The number of bytes of a word that count. A row's key has room for more.
  package static let lengthLimit = 128

  /// A word, valid during a call.
  package struct Word {
    package let bytes: UnsafeBufferPointer<UInt8>
    /// Whether the word is a character of a script without spaces.
    package let isCharacter: Bool
    /// Whether the word is such a character directly after another one.
    package let isAdjacent: Bool
  }

  /// Passes the words of a text to `body`, in their order, until it returns false.
  package static func forEach(in text: String, _ body: (Word) -> Bool) {
    var text = text
    text.withUTF8 { utf8 in
      var splitter = Splitter()
      var start = 0
      while start < utf8.count {
        // The run ends at an ASCII separator, and nothing composes across it. `splitter` finds the other separators.
        var end = start
        var isASCII = true
        while end < utf8.count, isPart(utf8[end]) {
          isASCII = isASCII && utf8[end] < 0x80
          end += 1
        }
        if end > start {
          let run = UnsafeBufferPointer(rebasing: utf8[start..<end])
          if !(isASCII ? splitter.passASCII(run, body) : splitter.passAny(run, body)) { return }
        }
        start = end + 1
      }
    }
  }

  /// The order keys of the different words, ascending. O(n log n).
  package static func keys(of text: String) -> [[UInt8]] {
    var keys: Set<[UInt8]> = []
    var key: [UInt8] = []
    forEach(in: text) { word in
      key.removeAll(keepingCapacity: true)
      WordRange.appendKey(word.bytes, to: &key)
      keys.insert(key)
      return true
    }
    return keys.sorted { $0.precedes($1) }
  }

  /// Whether a byte of UTF-8 may belong to a word: one of a scalar beyond ASCII, an ASCII letter or a digit.
  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
      true
    default: false
    }
  }
}

/// Splits runs of text without ASCII separators.
private struct Splitter {
  private var word: [UInt8] = []
  private var isCut = false

  /// Returns false once the caller needs no more words.
  mutating func passASCII(_ run: UnsafeBufferPointer<UInt8>, _ body: (SearchWords.Word) -> Bool) -> Bool {
    for byte in run.prefix(SearchWords.lengthLimit) { word.append(Self.lowercased(byte)) }
    return endWord(body)
  }

  mutating func passAny(_ run: UnsafeBufferPointer<UInt8>, _ body: (SearchWords.Word) -> Bool) -> Bool {
    let text = ComposedText.composed(Self.folded(String(decoding: run, as: UTF8.self)))
    var isBehindCharacter = false
    for scalar in text.unicodeScalars {
      let kind = Kind(scalar)
      switch kind {
      case .ignored: continue
      case .part: append(scalar)
      case .mark: if !word.isEmpty { append(scalar) } else { continue }
      case .character, .separator: if !endWord(body) { return false }
      }
      if kind == .character {
        append(scalar)
        if !end(isCharacter: true, isAdjacent: isBehindCharacter, body) { return false }
      }
      isBehindCharacter = kind == .character
    }
    return endWord(body)
  }

  private enum Kind {
    case part, mark, character, separator, ignored

    init(_ scalar: Unicode.Scalar) {
      let properties = scalar.properties
      // The zero-width space is ignorable, but its purpose is to separate words.
      if properties.isDefaultIgnorableCodePoint {
        self = scalar.value == 0x200B ? .separator : .ignored
        return
      }
      switch properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .letterNumber, .otherNumber, .privateUse:
        self = UnspacedScripts.contain(scalar) ? .character : .part
      case .nonspacingMark, .spacingMark, .enclosingMark:
        self = UnspacedScripts.contain(scalar) ? .character : .mark
      default: self = .separator
      }
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    guard !isCut else { return }
    guard let bytes = UTF8.encode(scalar), word.count + bytes.count <= SearchWords.lengthLimit else {
      isCut = true
      return
    }
    word.append(contentsOf: bytes)
  }

  private mutating func endWord(_ body: (SearchWords.Word) -> Bool) -> Bool {
    word.isEmpty || end(isCharacter: false, isAdjacent: false, body)
  }

  private mutating func end(isCharacter: Bool, isAdjacent: Bool, _ body: (SearchWords.Word) -> Bool) -> Bool {
    defer {
      word.removeAll(keepingCapacity: true)
      isCut = false
    }
    return word.withUnsafeBufferPointer {
      body(SearchWords.Word(bytes: $0, isCharacter: isCharacter, isAdjacent: isAdjacent))
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }

  /// The text without case and diacritics.
  private static func folded(_ text: String) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in ComposedText.withoutDiacritics(text).unicodeScalars {
      guard scalar.properties.changesWhenCaseMapped else {
        folded.append(scalar)
        continue
      }
      // Upper case, because all forms of a letter have the same one. Before that lower case, because the upper case of
      // "ẞ" is "ẞ", but the upper case of "ß" is "SS".
      for lower in scalar.properties.lowercaseMapping.unicodeScalars {
        for upper in lower.properties.uppercaseMapping.unicodeScalars {
          folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
        }
      }
    }
    return String(folded)
  }
}
