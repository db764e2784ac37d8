import RepriseObjectModel

/// The pattern that a text is compared with, prepared for the comparison.
struct TextPattern: Hashable, Sendable {
  /// The test to run. Most patterns of `like` need only a simpler test.
  let test: TextTest
  let options: TextOptions
  /// The composed form, without the parts that the options ignore. Empty for a wildcard pattern and a regular
  /// expression.
  let bytes: [UInt8]
  private let wildcards: WildcardPattern?
  private let expression: RegularExpression?
  /// The words of a search. A search uses only these.
  let words: WordSearch?
  /// The text itself, if whole characters are compared.
  private let characters: String

  init(_ test: TextTest, _ text: String, _ options: TextOptions) throws(FetchError) {
    // An archive may have options that do not belong to the test.
    let options = test == .hasPrefix || test == .contains ? options : options.subtracting(.byCharacter)
    self.options = options
    characters = options.contains(.byCharacter) ? text : ""
    words = WordSearch(test, text)
    do throws(PatternError) {
      switch test {
      case .hasPrefix, .hasSuffix, .contains, .equals:
        self.test = test
        bytes = ComposedText.bytes(of: options.collation.key(of: text))
        wildcards = nil
        expression = nil
      case .allWords, .anyWord, .allPrefixes, .whileTyping:
        self.test = test
        bytes = []
        wildcards = nil
        expression = nil
      case .like:
        let pattern = try WildcardPattern(ComposedText.composed(options.collation.key(of: text)))
        let simplified = pattern.simplified
        self.test = simplified?.test ?? .like
        bytes = simplified?.bytes ?? []
        wildcards = simplified == nil ? pattern : nil
        expression = nil
      case .matches:
        // The pattern keeps its case, because \D is not \d.
        let pattern = ComposedText.composed(options.subtracting(.ignoringCase).collation.key(of: text))
        self.test = .matches
        bytes = []
        wildcards = nil
        expression = try RegularExpression(pattern, ignoringCase: options.contains(.ignoringCase))
      }
    } catch {
      throw .invalidPattern(pattern: text, offset: error.offset, reason: error.reason)
    }
  }

  /// The prefix of every matching text, without the parts that the options ignore. Empty if it is unknown.
  var prefix: [UInt8] {
    if test == .hasPrefix { return bytes }
    if let wildcards { return wildcards.prefix }
    guard let expression else { return [] }
    // Expressions compare lower case, and indexes compare folded case. These differ for some characters that are not
    // ASCII.
    let isFolded = options.contains(.ignoringCase)
    return Array(isFolded ? expression.prefix.utf8.prefix { $0 < 0x80 } : expression.prefix.utf8[...])
  }

  /// The text without the parts that the options ignore. For an expression, each scalar must stay one scalar, because
  /// the expression may have classes of scalars.
  private func folded(_ text: String) -> String {
    guard test == .matches, options.contains(.ignoringCase) else { return options.collation.key(of: text) }
    return options.subtracting(.ignoringCase).collation.key(of: text.lowercased())
  }

  func matches(_ text: String) -> Bool {
    if let words { return words.matches(text) }
    if options.contains(.byCharacter) {
      if test == .hasPrefix { return text.starts(with: characters) }
      return characters.isEmpty || text.indices.contains { text[$0...].starts(with: characters) }
    }
    var text = folded(text)
    let quick = text.withUTF8 { utf8 in ComposedText.isComposed(utf8) ? matches(utf8) : nil }
    return quick ?? ComposedText.bytes(of: text).withUnsafeBufferPointer(matches)
  }

  private func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if let wildcards { return wildcards.matches(text) }
    if let expression { return expression.matches(text) }
    return bytes.withUnsafeBufferPointer { part in
      guard part.count <= text.count else { return false }
      func stands(at offset: Int) -> Bool {
        for index in part.indices where text[offset + index] != part[index] { return false }
        return true
      }
      switch test {
      case .hasPrefix: return stands(at: 0)
      case .hasSuffix: return stands(at: text.count - part.count)
      case .equals: return part.count == text.count && stands(at: 0)
      case .contains, .like, .matches, .allWords, .anyWord, .allPrefixes, .whileTyping:
        guard let first = part.first else { return true }
        // UTF-8 marks the first byte of each scalar, so a match of bytes is a match of scalars.
        for offset in 0...text.count - part.count where text[offset] == first && stands(at: offset) { return true }
        return false
      }
    }
  }
}
