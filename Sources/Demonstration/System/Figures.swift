extension Int {
  /// With commas between the thousands.
  var grouped: String {
    var text = ""
    for (index, digit) in String(magnitude).reversed().enumerated() {
      if index > 0 && index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + String(text.reversed())
  }
}

extension Double {
  /// With one decimal place.
  var tenths: String {
    let tenths = Int((magnitude * 10).rounded())
    return (self < 0 ? "-" : "") + "\((tenths / 10).grouped).\(tenths % 10)"
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
  var milliseconds: String { (seconds * 1000).tenths + " ms" }
}

extension String {
  /// Exactly `width` characters: truncated with a mark at the end, or padded with spaces.
  func padded(to width: Int) -> String {
    let count = count
    if count > width { return prefix(max(0, width - 1)) + "…" }
    return self + String(repeating: " ", count: width - count)
  }
}
