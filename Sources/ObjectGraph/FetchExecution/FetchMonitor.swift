import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseSystem

/// Learns about the fetches of a store's contexts.
package protocol FetchMonitor: StoreMonitor {
  /// Called right after a fetch, in the isolation of its context. Fetches that fail are not reported.
  func didRun<Model: PersistentModel>(_ fetch: Fetch<Model>, _ run: MonitoredRun, in context: ObjectContext)
}

/// A fetch that a monitor learns about. A class, so that a projection without a monitor stays small.
package final class MonitoredRun {
  /// The method of the context, such as "count".
  package fileprivate(set) var method: StaticString = ""
  /// How many objects, values or groups the fetch found.
  package fileprivate(set) var count = 0
  package fileprivate(set) var nanoseconds: UInt64 = 0
  /// How the objects were found. `nil` if indexes or the store's counters gave the answer.
  package let finding: FetchFinding?

  init(_ finding: FetchFinding?) { self.finding = finding }
}

extension Projection {
  /// Keeps how objects were found. Not inlined, because a finding is large.
  @inline(never) func keep(_ plan: FetchPlan, visits: Int, _ run: FetchRun) {
    if began == 0 { return }
    monitored = MonitoredRun(reported(FetchFinding(plan, visits: visits, rowsInMemory: run.rowCount)))
  }
}

extension ObjectContext {
  /// Reports a fetch to the monitors of the store.
  @inline(never) package func ran<Model: PersistentModel>(
    _ fetch: Fetch<Model>, _ method: StaticString, _ projection: Projection, count: Int
  ) {
    if projection.began == 0 { return }
    let run = projection.monitored as? MonitoredRun ?? MonitoredRun(nil)
    (run.method, run.count) = (method, count)
    run.nanoseconds = MonotonicClock.nanoseconds() - projection.began
    for case let monitor as any FetchMonitor in store.monitors { monitor.didRun(fetch, run, in: self) }
  }
}
