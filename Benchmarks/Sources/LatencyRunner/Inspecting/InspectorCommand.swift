import ArgumentParser
import Foundation

/// Measures the command `reprise`, and the memory of its page, on large stores.
public struct InspectorCommand: ParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "inspector-latency",
    abstract: "Measures the command reprise in whole processes, and the memory of its page, on large stores.")

  public init() {}

  @Flag(help: "Smaller stores, which are made within minutes. The row names keep the full sizes.")
  var quick = false

  @Flag(help: "Leaves out the page, which needs Chromium.")
  var withoutPage = false

  @Option(help: "How often each command runs.")
  var rounds = 40

  @Option(help: ArgumentHelp("The program that is measured, optimised.", valueName: "file"))
  var reprise: String

  @Option(help: ArgumentHelp("Takes this store of many objects instead of making one.", valueName: "store"))
  var objects: String?

  @Option(help: ArgumentHelp("Takes this store of many transactions instead of making one.", valueName: "store"))
  var transactions: String?

  @Option(help: ArgumentHelp("Takes this store for the memory of the page instead of making one.", valueName: "store"))
  var largest: String?

  @Option(help: ArgumentHelp("Where workers are and stores are kept.", valueName: "folder"))
  var folder = "Benchmarks/.build"

  public func run() throws {
    let workers = Workers(folder: folder + "/workers")
    let cache = try StoreCache(folder: folder + "/stores", workers: workers, keepsOld: true)
    func store(_ given: String?, _ shape: StoreShape) throws -> String {
      try given ?? cache.store(shape, of: .reprise)
    }
    let scale = quick ? 10 : 1
    let many = try store(objects, StoreShape(objects: 1_000_000 / scale))
    let long = try store(
      transactions, StoreShape(objects: 100_000, events: 100_000 + 10_000_000 / scale / scale, content: .longHistory))
    var rows = try CommandTimes(program: reprise, objects: many, transactions: long).rows(rounds: rounds)
    if !withoutPage {
      let most = try store(largest, StoreShape(objects: 10_000_000 / scale))
      rows += try PageMemory(program: reprise, store: most).rows()
    }
    for line in Machine.lines(stores: folder) + [""] { print(line) }
    for line in Table.aligned([InspectorRow.header] + rows.map(\.cells), textColumns: 2) { print(line) }
  }
}
