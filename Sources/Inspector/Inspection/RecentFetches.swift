import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseObjectGraph
import RepriseTool
import Synchronization

/// The fetches that the program ran last, with their plans and times.
package final class RecentFetches: FetchMonitor {
  private struct Fetched {
    let text: String
    let method: String
    var plan: String
    var count: Int
    var nanoseconds: UInt64
    var slowest: UInt64
    var runs: Int
  }

  /// The latest one first. A fetch that runs again moves to the front, so that a loop does not hide earlier fetches.
  private let fetches = Mutex<[Fetched]>([])
  private static let most = 50

  /// Whether the running code answers a request of the page. Its fetches are not the program's.
  @TaskLocal static var isAnswering = false

  package init() {}

  package func didRun<Model: PersistentModel>(
    _ fetch: Fetch<Model>, _ run: MonitoredRun, in context: ObjectContext
  ) {
    if Self.isAnswering { return }
    let (text, method) = (FetchText(fetch).description, "\(run.method)")
    let plan = Self.plan(of: fetch, run, in: context)
    let (count, nanoseconds) = (run.count, run.nanoseconds)
    fetches.withLock { fetches in
      var next = Fetched(
        text: text, method: method, plan: plan, count: count, nanoseconds: nanoseconds,
        slowest: nanoseconds, runs: 1)
      if let known = fetches.firstIndex(where: { $0.method == method && $0.text == text }) {
        let earlier = fetches.remove(at: known)
        next.slowest = max(next.slowest, earlier.slowest)
        next.runs += earlier.runs
      }
      fetches.insert(next, at: 0)
      if fetches.count > Self.most { fetches.removeLast() }
    }
  }

  private static func plan<Model: PersistentModel>(
    of fetch: Fetch<Model>, _ run: MonitoredRun, in context: ObjectContext
  ) -> String {
    guard let finding = run.finding, let map = context.store.map.map(Model.entity.interned) else {
      return "By an index or a counter of the store alone, without a visit to an object."
    }
    let unfinished = (try? context.unfinishedIndexes(for: fetch)) ?? []
    return FetchExplanation(finding, of: map.entity, unfinished: unfinished).description
  }

  var json: JSON {
    .list(
      fetches.withLock { $0 }.map { fetched in
        .object([
          "text": .text(fetched.text), "method": .text(fetched.method), "plan": .text(fetched.plan),
          "count": .int(fetched.count), "milliseconds": .double(Self.milliseconds(fetched.nanoseconds)),
          "slowest": .double(Self.milliseconds(fetched.slowest)), "runs": .int(fetched.runs),
        ])
      })
  }

  private static func milliseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1_000_000 }
}
