/// What the figures of a row are.
enum Unit: String, Codable, Sendable {
  case microseconds = "us"
  case bytes = "B"
  case count = "1"
  case perSecond = "per_s"

  var lessIsBetter: Bool { self != .perSecond }

  /// How many times more `other` costs than `own`; below 1 it costs less.
  func cost(of other: Double, against own: Double) -> Double {
    lessIsBetter ? other / own : own / other
  }

  var label: String {
    switch self {
    case .microseconds: "µs"
    case .bytes: "B"
    case .count: "×"
    case .perSecond: "/s"
    }
  }
}
