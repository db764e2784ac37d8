import RepriseObjectModel

/// Dates in ISO 8601, in UTC. Each `Double` of seconds since 2001 has a text that gives exactly the same bits again.
package enum DateText {
  /// `2026-11-20`, or a time of a day such as `2026-11-20T12:00:00.5Z`. A moment outside the years 0 to 9999 is written
  /// as its seconds since 2001: `date(1e+300)`.
  package static func written(_ seconds: Double) -> String {
    let decimal = seconds.description
    guard seconds.magnitude < 1e12, !decimal.utf8.contains(UInt8(ascii: "e")), decimal != "-0.0",
      let parts = Parts(decimal: decimal), let text = written(parts)
    else { return "date(\(NumberText.written(seconds)))" }
    return text
  }

  /// The same for microseconds since 1970. A moment outside the years 0 to 9999 is written as their number.
  static func written(microseconds: Int64) -> String {
    let (whole, part) = Int(microseconds).dividedDown(by: 1_000_000)
    var digits = String(String(part + 1_000_000).dropFirst())
    while digits.last == "0" { digits.removeLast() }
    return written(Parts(whole: whole - unixEpoch, fraction: digits)) ?? String(microseconds)
  }

  /// `2026-11-20 12:00:00`, without fractions of a second. `nil` outside the years 0 to 9999.
  package static func line(_ seconds: Double) -> String? {
    guard seconds.magnitude < 1e12 else { return nil }
    let whole = Int(seconds.rounded(.down))
    return day(whole).map { "\($0.name) \(time(whole - Int($0.start)))" }
  }

  /// The seconds from 1970 to 2001.
  private static let unixEpoch = 978_307_200

  private static func written(_ parts: Parts) -> String? {
    guard let day = day(parts.whole) else { return nil }
    let time = parts.whole - Int(day.start)
    if time == 0, parts.fraction.isEmpty { return day.name }
    return "\(day.name)T\(Self.time(time))\(parts.fraction.isEmpty ? "" : "." + parts.fraction)Z"
  }

  /// The day of a moment. `nil` outside the years 0 to 9999.
  private static func day(_ seconds: Int) -> CalendarDay? {
    CalendarDay(of: Double(seconds), offset: 0).flatMap {
      $0.name.utf8.count == 10 && !$0.name.hasPrefix("-") ? $0 : nil
    }
  }

  private static func time(_ seconds: Int) -> String {
    func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    return "\(padded(seconds / 3_600)):\(padded(seconds / 60 % 60)):\(padded(seconds % 60))"
  }

  /// Seconds since 2001: the whole number that is not greater, and the digits of the difference.
  private struct Parts {
    let whole: Int
    let fraction: String

    init(whole: Int, fraction: String) { (self.whole, self.fraction) = (whole, fraction) }

    init?(decimal: String) {
      let halves = decimal.split(separator: ".", omittingEmptySubsequences: false)
      guard halves.count == 2, let whole = Int(halves[0]) else { return nil }
      let digits = halves[1] == "0" ? "" : String(halves[1])
      let isBelow = decimal.hasPrefix("-") && !digits.isEmpty
      self.whole = isBelow ? whole - 1 : whole
      fraction = isBelow ? DateText.complement(digits) : digits
    }
  }

  /// The digits of one minus a fraction. It is its own inverse.
  private static func complement(_ digits: String) -> String {
    var borrows = false
    var found: [UInt8] = []
    for digit in digits.utf8.reversed() {
      let value = digit - UInt8(ascii: "0")
      found.append(UInt8(ascii: "0") + (borrows ? 9 - value : (10 - value) % 10))
      borrows = borrows || value != 0
    }
    return String(decoding: found.reversed(), as: UTF8.self)
  }

  /// The seconds since 2001 of a text. `nil` for a text that is no date, or whose day or time does not exist.
  package static func seconds(_ text: String) -> Double? {
    guard let parts = parts(text) else { return nil }
    guard parts.fraction.utf8.contains(where: { $0 != UInt8(ascii: "0") }) else { return Double(parts.whole) }
    let (whole, fraction) = (parts.whole, parts.fraction)
    // One conversion of all digits, because a sum of the two parts would be rounded twice.
    return Double(whole >= 0 ? "\(whole).\(fraction)" : "-\(-(whole + 1)).\(complement(fraction))")
  }

  /// The microseconds since 1970 of a text, without further digits.
  package static func microseconds(_ text: String) -> Int64? {
    guard let parts = parts(text) else { return nil }
    let digits = (parts.fraction + "000000").prefix(6)
    return Int64(parts.whole + unixEpoch) * 1_000_000 + (Int64(digits) ?? 0)
  }

  private static func parts(_ text: String) -> Parts? {
    var reader = Reader(text)
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
      let day = reader.number(2), let days = Self.days(year, month, day)
    else { return nil }
    if reader.isAtEnd { return Parts(whole: days * 86_400, fraction: "") }
    guard reader.skip("T"), let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), hour < 24,
      minute < 60
    else { return nil }
    var second = 0
    var fraction = ""
    if reader.skip(":") {
      guard let number = reader.number(2), number < 60 else { return nil }
      second = number
      if reader.skip(".") {
        fraction = reader.digits()
        if fraction.isEmpty { return nil }
      }
    }
    guard let ahead = reader.zone(), reader.isAtEnd else { return nil }
    return Parts(whole: days * 86_400 + hour * 3_600 + minute * 60 + second - ahead, fraction: fraction)
  }

  /// The days since 2001-01-01, in the Gregorian calendar extended to all years.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    guard (1...12).contains(month), day >= 1, day <= length(year, month) else { return nil }
    // Years that begin in March end with their leap day.
    let shifted = month <= 2 ? year + 399 : year + 400
    let inYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + inYear - 146_097 - 730_791
  }

  private static func length(_ year: Int, _ month: Int) -> Int {
    switch month {
    case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private struct Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ sign: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: sign) else { return false }
      rest.removeFirst()
      return true
    }

    mutating func digits() -> String {
      let found = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
      rest.removeFirst(found.count)
      return String(Substring(found))
    }

    mutating func number(_ count: Int) -> Int? {
      let found = rest.prefix(count)
      guard found.count == count, found.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
        return nil
      }
      rest.removeFirst(count)
      return Int(Substring(found))
    }

    /// The seconds that a clock in the zone is ahead of UTC.
    mutating func zone() -> Int? {
      if skip("Z") { return 0 }
      let isAhead = skip("+")
      guard isAhead || skip("-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
      else { return nil }
      return (hours * 60 + minutes) * (isAhead ? 60 : -60)
    }
  }
}

extension Int {
  /// The quotient rounded down, and the rest, which is not negative.
  fileprivate func dividedDown(by divisor: Int) -> (Int, Int) {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }
}
