/// A day in a time zone, of the Gregorian calendar extended to all years.
package struct CalendarDay {
  /// The beginning of the day, in seconds since 2001. Every moment of the day is at or after it, and before the
  /// beginning of the next day.
  package let start: Double
  private let number: Int
  package static let length: Double = 86_400

  /// - Parameter offset: How many seconds the clock is ahead of UTC.
  /// - Returns: `nil` for a moment too far away to compute its day, and for infinity and NaN.
  package init?(of seconds: Double, offset: Int) {
    // Within these three million years, a `Double` can distinguish milliseconds.
    guard seconds.magnitude < 1e14, offset.magnitude < 1 << 40 else { return nil }
    var day = ((seconds + Double(offset)) / Self.length).rounded(.down)
    func start(_ day: Double) -> Double { day * Self.length - Double(offset) }
    // Rounding may have moved the sum over midnight.
    if seconds < start(day) { day -= 1 }
    if seconds >= start(day + 1) { day += 1 }
    self.start = start(day)
    number = Int(day)
  }

  /// A moment in UTC as ISO 8601 writes it: "2026-11-23T17:04:05Z", to the microsecond. For a moment without a day, the
  /// seconds since 2001.
  package static func moment(_ seconds: Double) -> String {
    guard let day = CalendarDay(of: seconds, offset: 0) else { return "date(\(seconds))" }
    let whole = seconds.rounded(.down)
    let time = Int(whole - day.start)
    func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    let part = microseconds(seconds - whole)
    return "\(day.name)T\(padded(time / 3_600)):\(padded(time / 60 % 60)):\(padded(time % 60))\(part)Z"
  }

  /// The fraction of a second, to the microsecond.
  private static func microseconds(_ part: Double) -> String {
    let count = min(999_999, Int((part * 1_000_000).rounded()))
    if count == 0 { return "" }
    var digits = String(count)
    digits = String(repeating: "0", count: 6 - digits.utf8.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "." + digits
  }

  /// The day as ISO 8601 writes it: "2026-11-23". Years after 9999 have more digits, and years before 0 a minus sign.
  package var name: String {
    // Days since 0000-03-01. Years that begin in March end with their leap day.
    let days = number + 730_791
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(abs(number))
      return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }
}
