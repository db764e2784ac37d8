/// A figure as one line of JSON.
enum JSONLine {
  static func text(_ figure: Figure) -> String {
    var fields = [("name", quoted(figure.row.name)), ("peer", quoted(figure.peer.rawValue))]
    switch figure.outcome {
    case .measured(let summary):
      fields += [
        ("unit", quoted(figure.row.unit.rawValue)), ("count", "\(summary.count)"), ("min", number(summary.min)),
        ("median", number(summary.median)), ("p99", number(summary.p99)),
      ]
    case .skipped(let reason):
      fields.append(("skipped", quoted(reason.description)))
    }
    return "{" + fields.map { "\(quoted($0)): \($1)" }.joined(separator: ", ") + "}"
  }

  /// Three decimals: the clock has nanoseconds, the figures are microseconds.
  static func number(_ value: Double) -> String {
    let thousandths = (value * 1_000).rounded()
    let isWhole = thousandths.truncatingRemainder(dividingBy: 1_000) == 0
    return isWhole ? "\(Int(thousandths / 1_000))" : "\(thousandths / 1_000)"
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case _ where scalar.value < 0x20: "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
      default: String(scalar)
      }
    }
    return "\"" + escaped.joined() + "\""
  }
}
