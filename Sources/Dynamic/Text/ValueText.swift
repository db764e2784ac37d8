import RepriseObjectModel

/// Values as literals. Each literal gives exactly the same value again.
enum ValueText {
  static func written(_ value: PropertyValue) -> String {
    switch value {
    case .null: "nil"
    case .bool(let it): it ? "true" : "false"
    case .int(let it): String(it)
    case .unsigned(let it): "\(it)u"
    case .double(let it): NumberText.written(it)
    case .string(let it): QuotedText.written(it, in: "\"")
    case .bytes(let it): "x\"\(hexadecimal(it))\""
    case .date(let it): DateText.written(it)
    case .uuid(let it): it.description
    case .reference(let it): "\(FetchWord.written(it.entity))/\(it.uuid)"
    case .blob(let it): "blob(\(it.byteCount), x\"\(it.sha256)\")"
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
