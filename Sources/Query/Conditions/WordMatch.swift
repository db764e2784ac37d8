/// Which of the words of a search a text must have.
public enum WordMatch: Hashable, Sendable, CaseIterable {
  /// All of them, in any order.
  case allWords
  /// At least one of them.
  case anyWord
  /// For each of them a word that begins with it.
  case allPrefixes
  /// All of them, of which the last may be unfinished: for a list that follows a search field.
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
