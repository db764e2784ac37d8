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

  /// A number of bytes in mebibytes.
  var mebibytes: String { (Double(self) / 1_048_576).tenths + " MiB" }
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
