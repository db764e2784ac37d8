/// Reads a regular expression.
struct RegularExpressionParser {
  indirect enum Node {
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
    case assertion(RegularExpression.Assertion)
    case sequence([Node])
    case alternatives([Node])
    case repeated(Node, least: Int, most: Int?)
  }

  /// The prefix of every matching text, as far as the expression determines it.
  static func prefix(of node: Node) -> String {
    String(String.UnicodeScalarView(beginning(of: node).scalars))
  }

  /// - Returns: The common first scalars of all matching texts. `isWhole` if only these scalars match.
  private static func beginning(of node: Node) -> (scalars: [Unicode.Scalar], isWhole: Bool) {
    switch node {
    case .scalar(let scalar): return ([scalar], true)
    case .set: return ([], false)
    case .assertion: return ([], true)
    case .sequence(let nodes):
      var scalars: [Unicode.Scalar] = []
      for node in nodes {
        let next = beginning(of: node)
        scalars += next.scalars
        if !next.isWhole { return (scalars, false) }
      }
      return (scalars, true)
    case .alternatives(let nodes):
      guard var shared = nodes.first.map({ beginning(of: $0).scalars }) else { return ([], true) }
      for node in nodes.dropFirst() {
        let other = beginning(of: node).scalars
        shared = zip(shared, other).prefix { $0 == $1 }.map(\.0)
      }
      return (shared, false)
    case .repeated(let node, let least, let most):
      guard least > 0 else { return ([], most == 0) }
      let once = beginning(of: node)
      // One repetition is enough, because a longer prefix would hardly narrow a search.
      return once.isWhole && least == 1 ? (once.scalars, most == 1) : (once.scalars, false)
    }
  }

  /// The most levels of groups. Parsing recurses, and must not overflow the stack of any thread.
  private static let depthLimit = 50
  private static let countLimit = 1_000

  private let scalars: [Unicode.Scalar]
  private let ignoresCase: Bool
  private var at = 0

  init(_ pattern: String, ignoringCase: Bool) {
    scalars = Array(pattern.unicodeScalars)
    ignoresCase = ignoringCase
  }

  mutating func parse() throws(PatternError) -> Node {
    let node = try alternatives(depth: 0)
    if peek == ")" { throw error("there is no group to close") }
    return node
  }

  private var peek: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }

  private func error(_ reason: String, at offset: Int? = nil) -> PatternError {
    PatternError(offset: offset ?? at, reason: reason)
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    at += 1
    return true
  }

  private mutating func alternatives(depth: Int) throws(PatternError) -> Node {
    if depth > Self.depthLimit { throw error("groups nest deeper than \(Self.depthLimit)") }
    var found = [try sequence(depth)]
    while take("|") { found.append(try sequence(depth)) }
    return found.count == 1 ? found[0] : .alternatives(found)
  }

  private mutating func sequence(_ depth: Int) throws(PatternError) -> Node {
    var nodes: [Node] = []
    while let next = peek, next != "|", next != ")" { nodes.append(try repetition(of: try atom(depth))) }
    return nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  private mutating func atom(_ depth: Int) throws(PatternError) -> Node {
    let start = at
    guard let scalar = peek else { return .sequence([]) }
    at += 1
    switch scalar {
    case "(":
      if take("?"), !take(":") {
        throw error("look-around, named groups and flags are not supported; only (?:…) is", at: start)
      }
      let node = try alternatives(depth: depth + 1)
      if !take(")") { throw error("the group is not closed", at: start) }
      // A separate node, so that a repetition applies to the whole group.
      return .sequence([node])
    case "[": return .set(try set(from: start))
    case ".": return .set(.anyButLineBreaks)
    case "^": return .assertion(.start)
    case "$": return .assertion(.end)
    case "*", "+", "?", "{": throw error("'\(scalar)' has nothing before it to repeat", at: start)
    case "\\": return try escape(from: start)
    default: return literal(scalar)
    }
  }

  /// The scalar in the form of the texts. In lower case, some scalars become two.
  private func literal(_ scalar: Unicode.Scalar) -> Node {
    guard ignoresCase else { return .scalar(scalar) }
    let lower = scalar.properties.lowercaseMapping.unicodeScalars.map { Node.scalar($0) }
    return lower.count == 1 ? lower[0] : .sequence(lower)
  }

  private mutating func repetition(of node: Node) throws(PatternError) -> Node {
    let start = at
    var (least, most): (Int, Int?)
    switch peek {
    case "*": (least, most) = (0, nil)
    case "+": (least, most) = (1, nil)
    case "?": (least, most) = (0, 1)
    case "{":
      at += 1
      (least, most) = try counts(from: start)
    default: return node
    }
    at += 1
    if peek == "+" { throw error("possessive repetitions are not supported") }
    _ = take("?")
    if let next = peek, ["*", "+", "?", "{"].contains(next) {
      throw error("a repetition cannot be repeated; group it")
    }
    return .repeated(node, least: least, most: most)
  }

  /// Reads the counts of a repetition, up to but not including the closing brace.
  private mutating func counts(from start: Int) throws(PatternError) -> (Int, Int?) {
    guard let least = try number() else { throw error("a number is missing in the braces", at: start) }
    var most: Int? = least
    if take(",") { most = try number() }
    if peek != "}" { throw error("the braces are not of the form {2}, {2,} or {2,5}", at: start) }
    if let most, most < least { throw error("the second number is less than the first", at: start) }
    return (least, most)
  }

  private mutating func number() throws(PatternError) -> Int? {
    var number: Int?
    while let scalar = peek, ("0"..."9").contains(scalar) {
      number = (number ?? 0) * 10 + Int(scalar.value - 0x30)
      if number ?? 0 > Self.countLimit { throw error("a repetition is limited to \(Self.countLimit)") }
      at += 1
    }
    return number
  }

  // MARK: Escapes

  private enum Escape {
    case scalar(Unicode.Scalar)
    case members(ScalarSet.Class, isNegated: Bool)
    case assertion(RegularExpression.Assertion)
  }

  private mutating func escape(from start: Int) throws(PatternError) -> Node {
    switch try escaped(from: start) {
    case .scalar(let scalar): return literal(scalar)
    case .assertion(let assertion): return .assertion(assertion)
    case .members(let kind, let isNegated):
      var set = ScalarSet(ignoresCase: false)
      set.insert(kind, isNegated: isNegated)
      return .set(set)
    }
  }

  private mutating func escaped(from start: Int) throws(PatternError) -> Escape {
    guard let scalar = peek else { throw error("nothing follows the backslash", at: start) }
    at += 1
    switch scalar {
    case "d", "D": return .members(.digit, isNegated: scalar == "D")
    case "w", "W": return .members(.word, isNegated: scalar == "W")
    case "s", "S": return .members(.space, isNegated: scalar == "S")
    case "b": return .assertion(.wordEdge)
    case "B": return .assertion(.noWordEdge)
    case "t": return .scalar("\t")
    case "n": return .scalar("\n")
    case "r": return .scalar("\r")
    case "f": return .scalar("\u{C}")
    case "x": return .scalar(try hexadecimal(digits: 2, from: start))
    case "u":
      if take("{") {
        let scalar = try hexadecimal(digits: nil, from: start)
        if !take("}") { throw error("the braces are not closed", at: start) }
        return .scalar(scalar)
      }
      return .scalar(try hexadecimal(digits: 4, from: start))
    case "1"..."9": throw error("backreferences are not supported", at: start)
    default:
      if ScalarSet.Class.word.contains(scalar) { throw error("'\\\(scalar)' is not supported", at: start) }
      return .scalar(scalar)
    }
  }

  private mutating func hexadecimal(digits: Int?, from start: Int) throws(PatternError) -> Unicode.Scalar {
    var value: UInt32 = 0
    var count = 0
    while count < digits ?? 8, let next = peek, next.isASCII, let digit = Character(next).hexDigitValue {
      value = value << 4 | UInt32(digit)
      count += 1
      at += 1
    }
    guard count > 0, digits.map({ $0 == count }) ?? true, let scalar = Unicode.Scalar(value) else {
      throw error("the escape does not contain the number of a character", at: start)
    }
    return scalar
  }

  // MARK: Sets

  private mutating func set(from start: Int) throws(PatternError) -> ScalarSet {
    var set = ScalarSet(ignoresCase: ignoresCase)
    set.isNegated = take("^")
    var isFirst = true
    while let next = peek, next != "]" || isFirst {
      isFirst = false
      let place = at
      switch try member(from: place) {
      case .assertion: throw error("a set cannot have '\\\(scalars[at - 1])'", at: place)
      case .members(let kind, let isNegated): set.insert(kind, isNegated: isNegated)
      case .scalar(let first):
        guard peek == "-", at + 1 < scalars.count, scalars[at + 1] != "]" else {
          set.insert(first.value...first.value)
          continue
        }
        at += 1
        guard case .scalar(let last) = try member(from: at), first.value <= last.value else {
          throw error("the range ends before it begins, or ends with a character class", at: place)
        }
        set.insert(first.value...last.value)
      }
    }
    if !take("]") { throw error("the set is not closed", at: start) }
    return set
  }

  private mutating func member(from start: Int) throws(PatternError) -> Escape {
    guard let scalar = peek else { throw error("the set is not closed", at: start) }
    at += 1
    if scalar == "\\" { return try escaped(from: start) }
    if scalar == "[" { throw error("a '[' within a set is written '\\['", at: start) }
    if (scalar == "&" || scalar == "-"), peek == scalar {
      throw error("operations on sets are not supported", at: start)
    }
    return .scalar(scalar)
  }
}
