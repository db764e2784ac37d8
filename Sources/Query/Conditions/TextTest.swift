/// The comparison of a text with a pattern. Archives contain the raw values: never change one.
package enum TextTest: String, Hashable, Sendable {
  case hasPrefix
  case hasSuffix
  case contains
  case equals
  case like
  case matches
  // The words of a ``WordMatch``.
  case allWords
  case anyWord
  case allPrefixes
  case whileTyping
}
