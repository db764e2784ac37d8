import Reprise

/// A reason that the page shows.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }

  static func text(of error: any Error) -> String {
    switch error {
    case SaveError.refused(let refusal), RevertError.refused(let refusal):
      if let violation = refusal.violations.first { return "Not saved: \(violation.message)" }
      if refusal.conflicts.isEmpty { return "Not saved: \(error)" }
      return "Not saved: somebody else has changed the same fields."
    default: return "\(error)"
    }
  }
}
