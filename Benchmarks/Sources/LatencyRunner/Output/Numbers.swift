/// Figures for people.
enum Numbers {
  /// Three significant digits at least, thousands apart: 0.712, 3.48, 12.8, 5,411.
  static func text(_ value: Double) -> String {
    let size = abs(value)
    if size >= 100 || size == size.rounded() { return grouped(Int(value.rounded())) }
    let decimals = size >= 10 ? 1 : size >= 1 ? 2 : 3
    return fixed(value, decimals)
  }

  /// How many times, one decimal below ten.
  static func factor(_ value: Double) -> String {
    (value >= 9.95 ? grouped(Int(value.rounded())) : fixed(value, value < 0.95 ? 2 : 1)) + "×"
  }

  static func fixed(_ value: Double, _ decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1.0) { power, _ in power * 10 }
    let scaled = Int((abs(value) * scale).rounded())
    let fraction = String(scaled % Int(scale))
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + String(scaled) }
    return sign + "\(scaled / Int(scale)).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
  }

  private static func grouped(_ value: Int) -> String {
    let digits = Array(String(abs(value)))
    let text = digits.enumerated().map { index, digit in
      index > 0 && (digits.count - index) % 3 == 0 ? ",\(digit)" : "\(digit)"
    }
    return (value < 0 ? "-" : "") + text.joined()
  }
}
