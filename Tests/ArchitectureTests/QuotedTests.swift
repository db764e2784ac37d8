/// The tests that a document quotes as proof, and those that there are.
enum QuotedTests {
  /// The names quoted as `` `testName` ``, `` `testName()` `` or `` `SomeTests.testName` ``, each with its line.
  static func quoted(in document: SourceFile) -> [(line: Int, name: String)] {
    document.lines.enumerated().flatMap { index, line in
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      return parts.enumerated().compactMap { position, part -> (line: Int, name: String)? in
        position % 2 == 1 ? name(in: part).map { (index + 1, String($0)) } : nil
      }
    }
  }

  /// The name of a test that a code span consists of.
  static func name(in code: Substring) -> Substring? {
    guard let last = code.split(separator: ".").last else { return nil }
    let name = last.hasSuffix("()") ? last.dropLast(2) : last
    return isTestName(name) ? name : nil
  }

  static func declared(in files: [SourceFile]) -> Set<String> {
    var names: Set<String> = []
    for file in files {
      for (index, line) in file.lines.enumerated() where file.isCode[index] && line.has("func test") {
        let start = line.trimmedStart
        guard !start.hasPrefix("//"), let word = start.split(separator: " ").first(where: { $0.hasPrefix("test") })
        else { continue }
        names.insert(String(word.prefix(while: isNamePart)))
      }
    }
    return names
  }

  static func breaches(in document: SourceFile, declared: Set<String>) -> [Breach] {
    quoted(in: document).filter { !declared.contains($0.name) }
      .map { Breach(path: document.path, line: $0.line, message: "there is no test named \($0.name)") }
  }

  private static func isTestName(_ word: Substring) -> Bool {
    guard word.hasPrefix("test"), let next = word.dropFirst(4).first else { return false }
    return (next.isUppercase || next.isNumber) && word.allSatisfy(isNamePart)
  }

  private static func isNamePart(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
