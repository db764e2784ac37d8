import Foundation

/// A day as a text, as in `2026-11-29`.
enum Day {
  static func isDay(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2], let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return false }
    let date = DateComponents(calendar: Calendar(identifier: .gregorian), year: year, month: month, day: day)
    return date.isValidDate
  }
}

extension String {
  var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
