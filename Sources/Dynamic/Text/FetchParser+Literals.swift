import RepriseObjectModel

extension FetchParser {
  /// The literal that comes next. `nil` if something else comes next.
  mutating func literal() throws(FetchTextError) -> PropertyValue? {
    let first = at
    let isNegative = token.isSign("-") && token(1).range.lowerBound == token.range.upperBound
    let token = isNegative ? token(1) : token
    switch token.kind {
    case .number(let digits):
      at += isNegative ? 2 : 1
      do { return try NumberText.value(digits, isNegative: isNegative) } catch {
        let text = String(
          decoding: bytes[tokens[first].range.lowerBound..<token.range.upperBound].prefix(40), as: UTF8.self)
        throw .invalidLiteral(text, reason: error.rawValue, at: place(first))
      }
    case .literal(let value) where !isNegative:
      at += 1
      return value
    case .word(let word):
      switch word.lowercased() {
      case "inf":
        at += isNegative ? 2 : 1
        return .double(isNegative ? -.infinity : .infinity)
      case _ where isNegative: return nil
      case "true", "false":
        at += 1
        return .bool(word.lowercased() == "true")
      case "nil", "null":
        at += 1
        return .null
      case "nan": return .double(try nan())
      case "date" where self.token(1).isSign("("): return .date(try seconds())
      case "blob" where self.token(1).isSign("("): return .blob(try blob())
      default: return nil
      }
    default: return nil
    }
  }

  private mutating func nan() throws(FetchTextError) -> Double {
    at += 1
    guard skip("(") else { return .nan }
    let first = at
    guard case .literal(.bytes(let bytes)) = token.kind, bytes.count == 8 else { throw unexpected("8 bytes") }
    let number = Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    guard number.isNaN else { throw unexpected("the bits of a NaN", at: first) }
    at += 1
    try require(")")
    return number
  }

  /// The seconds since 2001 of `date(1e+300)`, for dates beyond the calendar.
  private mutating func seconds() throws(FetchTextError) -> Double {
    at += 2
    let first = at
    let number: Double
    // `-nan` and the like are no literals, so this ends after one further step.
    if token.isKeyword("nan") {
      number = try nan()
    } else {
      switch try numberAlone() {
      case .double(let seconds)?: number = seconds
      case .int(let seconds)?: number = Double(seconds)
      default: throw unexpected("the seconds since 2001", at: first)
      }
    }
    try require(")")
    return number
  }

  /// A number, and no other literal, because a literal within a literal would recurse.
  private mutating func numberAlone() throws(FetchTextError) -> PropertyValue? {
    let next = token.isSign("-") ? token(1) : token
    if case .number = next.kind { return try literal() }
    return next.isKeyword("inf") ? try literal() : nil
  }

  private mutating func blob() throws(FetchTextError) -> Blob {
    at += 2
    let first = at
    guard case .int(let count)? = try numberAlone(), (0...Int64(Blob.longest)).contains(count) else {
      throw unexpected("the number of bytes of a blob", at: first)
    }
    try require(",")
    guard case .literal(.bytes(let bytes)) = token.kind, bytes.count == 32 else {
      throw unexpected("a SHA-256 of 32 bytes")
    }
    at += 1
    try require(")")
    func word(_ start: Int) -> UInt64 { bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
    return Blob(byteCount: Int(count), words: (word(0), word(8), word(16), word(24)))
  }
}
