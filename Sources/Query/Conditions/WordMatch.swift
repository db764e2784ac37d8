/// The rule for the words of a search: whether a text must contain all of them, or any of them.
public enum WordMatch: Hashable, Sendable, CaseIterable {
  /// All of the words, in any order.
  case allWords
  /// At least one of the words.
  case anyWord
  /// For each of the words, a word that begins with it.
  case allPrefixes
  /// All of the words. The last one may be incomplete: use this for a list that follows a search field.
  case whileTyping

  var test: TextTest {
    switch self {
    case .allWords: .allWords
    case .anyWord: .anyWord
    case .allPrefixes: .allPrefixes
    case .whileTyping: .whileTyping
    }
  }
}
