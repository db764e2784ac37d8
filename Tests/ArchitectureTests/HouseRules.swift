/// The rules of the house that a formatter does not know. Each takes a file and names what breaks it.
enum HouseRules {
  static let lineLength = 120

  /// A drawer for anything is where everything ends up.
  static func drawers(_ file: SourceFile) -> [Breach] {
    let banned = ["Util", "Utils", "Utilities", "Helper", "Helpers", "Common", "Manager", "Misc"]
    let stem = String(file.name.prefix { $0 != "." })
    return (file.path.split(separator: "/").dropLast().map(String.init) + [stem]).flatMap { part in
      banned.filter(part.hasSuffix).prefix(1).map { word in
        Breach(path: file.path, line: 1, message: "named '\(word)': name it after the one idea that it holds")
      }
    }
  }

  static func unfinished(_ file: SourceFile) -> [Breach] {
    let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
    return file.breaches { _, line in
      marks.first(where: line.hasWord).map { "marked as unfinished with \($0)" }
    }
  }

  static func longLines(_ file: SourceFile) -> [Breach] {
    file.breaches { _, line in
      line.utf8.count > lineLength && line.count > lineLength
        ? "\(line.count) characters, at most \(lineLength)" : nil
    }
  }

  /// What a declaration promises that the compiler cannot check needs its reason, beginning with "Safe:".
  static func uncheckedSendable(_ file: SourceFile) -> [Breach] {
    file.breaches { index, line in
      guard file.isCode[index], line.has("@unchecked" + " Sendable"), !line.trimmedStart.hasPrefix("//") else {
        return nil
      }
      return file.comment(above: index).has("Safe:")
        ? nil : "@unchecked" + " Sendable without a comment above it that says why it is safe ('Safe: …')"
    }
  }

  /// What traps on a wrong assumption needs the proof that the assumption holds.
  static func unprovenForce(_ file: SourceFile) -> [Breach] {
    file.breaches { index, line in
      guard file.isCode[index], line.has("try!") || line.has(" as! "), !line.trimmedStart.hasPrefix("//") else {
        return nil
      }
      return line.has("// invariant:") || file.comment(above: index).has("invariant:")
        ? nil : "traps when it fails, without '// invariant: …' that proves it cannot"
    }
  }

  /// A test that stands in another type never runs, and looks as if it did.
  static func strayTests(_ file: SourceFile) -> [Breach] {
    var type = ""
    return file.breaches { index, line in
      guard file.isCode[index] else { return nil }
      let isTopLevel = !(line.first.map { " })#/".contains($0) } ?? true)
      if isTopLevel { type = line }
      guard line.hasPrefix("  func test"), line.has("()") else { return nil }
      if type.hasWord("extension") || type.contains(/\bclass \w+: (\w*TestCase|\w+Tests)\b/) { return nil }
      return "a test outside a test case: it never runs"
    }
  }

  /// `TestModel` supplies what a test does not mention, and Tests/Support/Models has a model of most shapes.
  static func modelsByHand(_ file: SourceFile) -> [Breach] {
    // The models that stand as a user without the macro writes them, and those of files that are compiled alone.
    let allowed = [
      "Tests/Support/Models/ItemAndPerson.swift", "Tests/Support/Log/LogFixtures.swift",
      "Tests/ObjectGraphMacrosTests/", "Tests/CompileTests/", "Tests/HTTPTests/", "Tests/PlugInTests/",
    ]
    if allowed.contains(where: file.path.hasPrefix) { return [] }
    return file.breaches { index, line in
      guard file.isCode[index], line.has("PersistentModel") else { return nil }
      guard line.contains(/^ *(\w+ )*class \w+: (\w+, )*PersistentModel\b/) else { return nil }
      return "a model that repeats what TestModel supplies"
    }
  }

  /// A reader of the repository cannot look up the number of a list elsewhere.
  static func numberedTests(_ file: SourceFile) -> [Breach] {
    // The names whose number is part of the behaviour.
    let allowed: Set<Substring> = []
    let declaration = /^ *(?:[@\w]+ )*func (test[0-9]+[A-Z]\w*)/
    return file.breaches { index, line in
      guard file.isCode[index], line.has("func test"), let name = line.firstMatch(of: declaration)?.1 else {
        return nil
      }
      return allowed.contains(name) ? nil : "\(name) begins with a number: name the behaviour alone"
    }
  }

  /// A stranger's machine has other folders.
  static func machinePaths(_ file: SourceFile) -> [Breach] {
    let places = ["/wo" + "rk/", "/opt/" + "swift", "../" + "shared"]
    return file.breaches { _, line in
      places.first(where: line.has).map { "'\($0)' is a place on one machine" }
    }
  }

  /// A catch of one case of a typed throw crashes the compiler in a caller's program (Docs/Decisions/0025).
  static func publicTypedThrow(_ file: SourceFile) -> [Breach] {
    file.breaches { index, line in
      guard file.isCode[index], PublicDeclaration(line) != nil else { return nil }
      return file.signature(at: index).firstMatch(of: /throws\((\w+Error)\)/)
        .map { "public, and throws \($0.1) typed: write 'throws', and say in its comment which errors" }
    }
  }

  static func undocumented(_ file: SourceFile) -> [Breach] {
    file.breaches { index, line in
      guard file.isCode[index], let declaration = PublicDeclaration(line), !declaration.inheritsItsDocumentation else {
        return nil
      }
      if declaration.keyword == "extension" { return "write 'public' at each member, not at the extension" }
      return file.hasDocumentation(above: index) ? nil : "public without a doc comment: \(declaration.signature)"
    }
  }

  /// A caller who handles a case of an error needs to know the calls that throw it.
  static func throwerlessCases(_ file: SourceFile) -> [Breach] {
    var indent: Substring?
    return file.breaches { index, line in
      guard file.isCode[index] else { return nil }
      if let declaration = PublicDeclaration(line), declaration.keyword == "enum" {
        guard declaration.signature.contains(/^enum \w+Error\b/) else { return nil }
        indent = line.prefix { $0 == " " }
      }
      guard let outer = indent else { return nil }
      if line.hasPrefix(outer + "}") { indent = nil }
      guard let name = line.dropFirst(outer.count).firstMatch(of: /^  (?:indirect )?case (\w+)/)?.1 else { return nil }
      return file.comment(above: index).contains(/\b(throws?|has|have|gets?)[ \n\/]+(it|this)\b/)
        ? nil : "the comment of \(name) names no call that throws it: \"`save` throws it\""
    }
  }
}

extension SourceFile {
  /// A declaration up to the line that closes its parameters, and the getter of a property.
  fileprivate func signature(at first: Int) -> String {
    var found = ""
    for line in lines[first...] {
      found += line
      if found.count(of: "(") == found.count(of: ")") { break }
    }
    if found.has("var "), found.hasSuffix("{"), first + 1 < lines.count { found += lines[first + 1] }
    return found
  }

  /// The comment lines directly above a line, attributes between them left out.
  func comment(above index: Int) -> String {
    var found: [String] = []
    for line in lines[..<index].reversed() {
      let start = line.trimmedStart
      if start.hasPrefix("//") { found.append(line) } else if !start.hasPrefix("@") { break }
    }
    return found.reversed().joined(separator: "\n")
  }

  func hasDocumentation(above index: Int) -> Bool {
    var at = index - 1
    while at >= 0 {
      let start = lines[at].trimmedStart
      if start.hasPrefix("///") || start.hasSuffix("*/") { return true }
      if start.hasPrefix("//") || start.hasPrefix("@") || start.hasPrefix("#") {
        at -= 1
      } else if let attribute = attribute(endingAt: at) {
        at = attribute - 1
      } else {
        return false
      }
    }
    return false
  }

  /// The first line of the attribute of several lines that ends on the given one.
  private func attribute(endingAt last: Int) -> Int? {
    var open = 0
    for at in stride(from: last, through: max(0, last - 20), by: -1) {
      let start = lines[at].trimmedStart
      if start.isEmpty || start.hasPrefix("///") { return nil }
      open += lines[at].count(of: "(") - lines[at].count(of: ")")
      if start.hasPrefix("@") { return open == 0 ? at : nil }
    }
    return nil
  }
}

/// A declaration that users of the library see, as one line begins it.
struct PublicDeclaration {
  let keyword: String
  let signature: String
  private let overrides: Bool

  init?(_ line: String) {
    guard line.has("public ") || line.has("open ") else { return nil }
    var rest = Self.withoutAttributes(line.trimmedStart)
    var visible = false
    var overrides = false
    while true {
      let word = rest.prefix { $0.isLetter || $0 == "_" }
      if Self.keywords.contains(word) && !(word == "class" && Self.continues(rest.dropFirst(5))) {
        keyword = String(word)
        break
      }
      guard Self.modifiers.contains(word) else { return nil }
      rest = rest.dropFirst(word.count)
      if rest.first == "(" {
        // `private(set)` narrows the setter and says nothing of the getter.
        rest = rest.drop { $0 != ")" }.dropFirst()
      } else {
        visible = visible || word == "public" || word == "open"
      }
      overrides = overrides || word == "override"
      rest = Self.withoutAttributes(rest.trimmedStart)
    }
    guard visible else { return nil }
    self.overrides = overrides
    signature = rest.filter { $0 != "{" }.split(separator: " ").joined(separator: " ")
  }

  /// Members that satisfy a requirement of the standard library mean what that requirement means.
  var inheritsItsDocumentation: Bool {
    overrides || Self.witnesses.contains { signature.hasPrefix($0) }
  }

  private static let witnesses = [
    "func == (", "func ==(", "func < (", "func <(", "func hash(into", "func encode(to", "init(from decoder",
    "var description: String", "var debugDescription: String", "func makeIterator()", "func makeAsyncIterator()",
    "init(stringLiteral", "init(arrayLiteral", "init(integerLiteral",
  ]

  private static let keywords: Set<Substring> = [
    "struct", "class", "enum", "protocol", "actor", "func", "var", "let", "init", "subscript", "typealias", "macro",
    "extension", "associatedtype",
  ]

  private static let modifiers: Set<Substring> = [
    "public", "open", "package", "internal", "private", "fileprivate", "final", "static", "class", "nonisolated",
    "mutating", "nonmutating", "consuming", "borrowing", "convenience", "required", "indirect", "override", "lazy",
    "weak", "unowned", "prefix", "postfix", "infix", "isolated", "dynamic", "distributed",
  ]

  /// Whether another keyword or modifier follows, so that `class` was one itself (`class func`).
  private static func continues(_ rest: Substring) -> Bool {
    let word = rest.trimmedStart.prefix { $0.isLetter || $0 == "_" }
    return keywords.contains(word) || modifiers.contains(word)
  }

  static func withoutAttributes(_ line: Substring) -> Substring {
    var rest = line
    while rest.first == "@" {
      rest = rest.dropFirst().drop { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
      if rest.first == "(" {
        var depth = 0
        while let character = rest.popFirst() {
          if character == "(" { depth += 1 }
          if character == ")" { depth -= 1 }
          if depth == 0 { break }
        }
      }
      rest = rest.trimmedStart
    }
    return rest
  }
}
