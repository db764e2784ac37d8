import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// Reads a text, with a model or without one. It needs no recursion, so no text overflows the stack.
///
/// A model gives literals the types of the properties that they are compared with, and finds wrong names.
struct FetchParser {
  let bytes: [UInt8]
  let tokens: [FetchToken]
  /// The token that comes next.
  var at = 0
  /// The model of the fetch, and then of the members that a condition tests. Empty without a model.
  var scopes: [Entity]

  init(_ text: String, of model: Entity?) throws(FetchTextError) {
    bytes = Array(text.utf8)
    tokens = try FetchLexer.tokens(of: text)
    scopes = model.map { [$0] } ?? []
  }

  // MARK: Tokens

  var token: FetchToken { tokens[at] }

  func token(_ further: Int) -> FetchToken { tokens[min(at + further, tokens.count - 1)] }

  /// Goes on behind the token if it is this keyword or sign.
  mutating func skip(_ text: String) -> Bool {
    guard token.isKeyword(text) || token.isSign(text) else { return false }
    at += 1
    return true
  }

  mutating func require(_ text: String) throws(FetchTextError) {
    if !skip(text) { throw unexpected("'\(text)'") }
  }

  func place(_ index: Int) -> TextPlace { TextPlace(tokens[index].range.lowerBound, in: bytes) }

  /// The text of a token, for messages.
  func written(_ index: Int) -> String {
    let token = tokens[index]
    if token.kind == .end { return "the end" }
    let text = QuotedText.visible(String(decoding: bytes[token.range], as: UTF8.self))
    return "'\(text.count > 40 ? text.prefix(40) + "…" : text)'"
  }

  func unexpected(_ expected: String, at index: Int? = nil) -> FetchTextError {
    .unexpected(found: written(index ?? at), expected: expected, at: place(index ?? at))
  }

  // MARK: Clauses

  private static let clauses = ["'where'", "'order by'", "'section by'", "'limit'", "'offset'", "'as of'", "'@'"]

  /// - Parameters:
  ///   - needsEntity: Whether the text must begin with the name of the model.
  ///   - allowsMoment: Whether the text can end with a past state.
  mutating func fetch(needsEntity: Bool, allowsMoment: Bool = true) throws(FetchTextError) -> ParsedFetch {
    var fetch = ParsedFetch()
    if let name = token.name, !Self.isClause(token) {
      try checkEntity(name)
      fetch.entity = name
      at += 1
    } else if needsEntity {
      throw unexpected("the name of a model")
    }
    var next = 0
    if skip("where") {
      next = 1
      fetch.steps = try condition()
    }
    if skip("order") {
      next = 2
      try require("by")
      repeat { fetch.keys.append(try key()) } while skip(",")
    }
    if skip("section") {
      next = 3
      try require("by")
      fetch.section = try section()
    }
    if skip("limit") {
      next = 4
      fetch.limit = try integer()
    }
    if skip("offset") {
      next = 5
      fetch.offset = try integer()
    }
    if allowsMoment, skip("as") {
      next = Self.clauses.count
      try require("of")
      fetch.moment = try time()
    } else if allowsMoment, skip("@") {
      next = Self.clauses.count
      fetch.moment = .position(try position())
    }
    if token.kind == .end { return fetch }
    let clauses = Self.clauses.dropLast(allowsMoment ? 0 : 2).dropFirst(next)
    let operators = (1...3).contains(next) ? ["an operator"] : []
    let expected = (operators + clauses).joined(separator: ", ")
    throw unexpected(expected.isEmpty ? "the end" : expected + " or the end")
  }

  private static func isClause(_ token: FetchToken) -> Bool {
    ["where", "order", "section", "limit", "offset", "as"].contains(token.keyword)
  }

  private func checkEntity(_ name: String) throws(FetchTextError) {
    guard let model = scopes.first, !model.isEverNamed(name) else { return }
    throw .unknownEntity(name, suggestion: model.name, at: place(at))
  }

  private mutating func key() throws(FetchTextError) -> ParsedFetch.Key {
    let term = try term()
    var isAscending = true
    if skip("desc") { isAscending = false } else { _ = skip("asc") }
    var nils: NilOrder = isAscending ? .first : .last
    if skip("nulls") || skip("nils") {
      if skip("last") { nils = .last } else { nils = .first; try require("first") }
    }
    return ParsedFetch.Key(term: term, isAscending: isAscending, nils: nils)
  }

  private mutating func section() throws(FetchTextError) -> ParsedFetch.Section {
    guard token.isKeyword("rule"), token(1).isSign("(") else {
      let (term, function) = try sectionKey()
      return ParsedFetch.Section(term: term, function: function, rule: nil)
    }
    at += 2
    let name = try text()
    try require(",")
    let (term, function) = try sectionKey()
    try require(")")
    return ParsedFetch.Section(term: term, function: function, rule: name)
  }

  private mutating func sectionKey() throws(FetchTextError) -> (Term, SectionFunction) {
    let isFirst = token.isKeyword("first")
    guard isFirst || token.isKeyword("day"), token(1).isSign("(") else { return (try term(), .value) }
    at += 2
    let term = try term()
    var function = SectionFunction.firstCharacter
    if !isFirst { function = .day(offset: skip(",") ? try integer() : 0) }
    try require(")")
    return (term, function)
  }

  mutating func text() throws(FetchTextError) -> String {
    guard case .literal(.string(let text)) = token.kind else { throw unexpected("a text in quotation marks") }
    at += 1
    return text
  }

  private mutating func integer() throws(FetchTextError) -> Int {
    let first = at
    guard case .int(let number)? = try literal(), let integer = Int(exactly: number) else {
      throw unexpected("an integer", at: first)
    }
    return integer
  }

  private mutating func position() throws(FetchTextError) -> Position {
    let first = at
    switch try literal() {
    case .int(let number)? where number >= 0: return Position(UInt64(number))
    case .unsigned(let number)?: return Position(number)
    default: throw unexpected("the number of a position", at: first)
    }
  }

  private mutating func time() throws(FetchTextError) -> FetchMoment {
    let first = at
    switch try literal() {
    case .int(let microseconds)?: return .microseconds(microseconds)
    case .date?:
      let text = String(decoding: bytes[tokens[first].range], as: UTF8.self)
      if let microseconds = DateText.microseconds(text) { return .microseconds(microseconds) }
    default: break
    }
    throw unexpected("a date", at: first)
  }
}
