import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Processes whose clocks differ, in one store. Each says which objects it made.
enum Births {
  static func run(_ arguments: Arguments) async throws {
    let ahead = Int64(arguments.number("ahead")) * 1_000_000
    if ahead > 0 {
      // The first ID of a process with such a clock; all later ones are greater.
      _ = UniqueID.next(milliseconds: UInt64((WallClock.microseconds() + ahead) / 1000), random: 0)
    }
    var options = options()
    options.wallClock = { WallClock.microseconds() + ahead }
    let store = try Store.openNow(arguments.path, for: schema, options)
    let draft = arguments["draft"]
    let context =
      draft.isEmpty
      ? RootContext(store, isolation: nil) : try RootContext(store, draft: draft, isolation: nil)
    context.followsHead = false
    say("open \(store.log.head)")
    if !arguments["go"].isEmpty { while access(arguments["go"], F_OK) != 0 { usleep(500) } }
    for word in arguments["do"].split(separator: " ") {
      switch word {
      case "insert":
        let cell = Cell(lane: 1, place: 1)
        context.insert(cell)
        say("born \(cell.id.uuid)")
      case "save":
        try await context.save()
        // Also those of other processes, with other clocks.
        for transaction in try store.log.transactions(after: store.log.firstPosition) {
          let found = try await store.log.position(ofTransaction: transaction.id)
          if found != transaction.position {
            problem("transaction \(transaction.position) is at \(String(describing: found))")
          }
        }
      case "refresh": try context.refresh()
      case "journal": try store.journal.write()
      case "list":
        for cell in try context.fetch(Fetch<Cell>()) { say("listed \(cell.id.uuid)") }
      case "retain": _ = try await store.log.retain(.last(1))
      case "rebuild":
        try await store.close()
        try await StoreMaintenance.rebuild(arguments.path)
        return
      case "verify":
        let report = try await StoreMaintenance.verify(store)
        if !report.isSound { problem("\(report)") }
      default: problem("no step '\(word)'")
      }
    }
  }
}
