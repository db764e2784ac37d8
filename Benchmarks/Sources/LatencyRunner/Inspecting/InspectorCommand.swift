import ArgumentParser
import Foundation

/// Measures the command `reprise`, and the times and the memory of its page, on large stores.
public struct InspectorCommand: ParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "inspector-latency",
    abstract: "Measures the command reprise in whole processes, and its page in Chromium, on large stores.")

  public init() {}

  @Flag(help: "Leaves out the page, which needs Chromium.")
  var withoutPage = false

  @Flag(help: "Leaves out the memory of the page, which needs a store of ten million objects.")
  var withoutMemory = false

  @Option(help: "How often each command runs.")
  var rounds = 40

  @Option(help: ArgumentHelp("The program that is measured, optimised.", valueName: "file"))
  var reprise: String

  @Option(help: ArgumentHelp("Takes this store instead of making one of a million objects.", valueName: "store"))
  var objects: String?

  @Option(help: ArgumentHelp("Takes this store instead of making one of ten million transactions.", valueName: "store"))
  var transactions: String?

  @Option(
    help: ArgumentHelp(
      "Takes this store for the page instead of making one of ten million objects.", valueName: "store"))
  var largest: String?

  @Option(help: ArgumentHelp("Where workers are and stores are kept.", valueName: "folder"))
  var folder = "Benchmarks/.build"

  public func run() throws {
    let workers = Workers(folder: folder + "/workers")
    let cache = try StoreCache(folder: folder + "/stores", workers: workers, keepsOld: true)
    func store(_ given: String?, _ shape: StoreShape) throws -> String {
      try given ?? cache.store(shape, of: .reprise)
    }
    let many = try store(objects, StoreShape(objects: 1_000_000))
    let long = try store(transactions, StoreShape(objects: 100_000, events: 10_100_000, content: .longHistory))
    var rows = try CommandTimes(program: reprise, objects: many, transactions: long).rows(rounds: rounds)
    if !withoutPage {
      let stores = ["REPRISE_MANY_OBJECTS": many, "REPRISE_MANY_TRANSACTIONS": long]
      rows += try PageTest(name: "PageTimeTests", program: reprise, stores: stores).rows()
    }
    if !withoutPage && !withoutMemory {
      let most = try store(largest, StoreShape(objects: 10_000_000))
      rows += try PageTest(name: "PageMemoryTests", program: reprise, stores: ["REPRISE_MOST_OBJECTS": most]).rows()
    }
    // The targets are for the stores that the command makes.
    let given = [objects, transactions, largest].compactMap(\.self).map { "given store \($0)" }
    for line in Machine.lines(stores: folder) + given + [""] { print(line) }
    for line in Table.aligned([InspectorRow.header] + rows.map(\.cells), textColumns: 2) { print(line) }
  }
}
