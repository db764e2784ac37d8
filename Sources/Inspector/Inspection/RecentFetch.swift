import Foundation
import RepriseCore
import RepriseDynamic
import RepriseTool

/// A fetch that the program ran.
struct RecentFetch: Sendable {
  let fetch: any ShownFetch
  let count: Int
  let duration: Duration
  let date: Date

  func json(in context: ObjectContext) -> JSON {
    .object([
      "fetch": .text(fetch.shown), "plan": .text(try? fetch.plan(in: context)), "count": .int(count),
      "milliseconds": .double(duration.milliseconds),
      "time": .text(ValueText.time(Int64(date.timeIntervalSince1970 * 1e6))),
    ])
  }
}

/// A fetch of any model.
protocol ShownFetch: Sendable {
  var shown: String { get }
  /// How the store finds the objects. Runs the fetch.
  func plan(in context: ObjectContext) throws -> String
}

extension Fetch: ShownFetch {
  var shown: String { text }
  func plan(in context: ObjectContext) throws -> String { "\(try context.explain(self))" }
}

extension Duration {
  var milliseconds: Double { Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15 }
}
