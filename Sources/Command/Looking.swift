#if Command
import ArgumentParser
import RepriseCore
import RepriseTool

struct Info: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show entities, counts, indexes, sizes, and the span of the log.")

  @OptionGroup var argument: StoreArgument
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open { store in
      try terminal.write { try InfoReport(store).write(to: $0) }
    }
  }
}

struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the values of an object, now or at an earlier position.")

  @OptionGroup var argument: StoreArgument
  @Argument(help: "The object.") var object: String
  @Option(help: "A position, a date or a time.") var asOf: String?
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open { store in
      let places = Places(store)
      let context: ObjectContext =
        if let asOf { try store.context(at: places.position(asOf)) } else { RootContext(store) }
      let report = ObjectReport(try places.object(object, in: context), in: context)
      try terminal.write(isLong: true) { try report.write(to: $0) }
    }
  }
}

struct Query: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the objects that a fetch finds.",
    discussion: """
      The fetch is a text such as: Note where title contains[nocase] "tea" and stars >= 3 order by changed desc limit 20

      It may end with 'as of 2026-11-20' or '@1234'. Docs/FetchText.md has the grammar.

      With '--json', '--count' writes {"count":3}, and '--explain' writes the parts of the plan.
      """)

  @OptionGroup var argument: StoreArgument
  @Argument(help: "The fetch.") var fetch: String
  @Option(help: "A position, a date or a time.") var asOf: String?
  @Flag(help: "Show only the number of objects.") var count = false
  @Flag(help: "Show how the store finds the objects.") var explain = false
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    var report = try QueryReport(fetch)
    if asOf != nil, report.hasMoment {
      throw ValidationError("The fetch has a position or a time already, so leave out '--as-of'.")
    }
    if explain, count { throw ValidationError("Choose one of '--count' and '--explain'.") }
    report.part = explain ? .plan : count ? .count : .objects
    try await argument.open { store in
      report.position = try asOf.map { try Places(store).position($0) }
      try await ProgressBar.show("Reading") { _ in
        try terminal.write(isLong: true) { try report.write(store, to: $0) }
      }
    }
  }
}

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Show the entities and their properties.")

  @OptionGroup var argument: StoreArgument
  @Flag(help: "Print Swift models.") var swift = false
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open { store in
      try terminal.write { output in
        if swift { try SchemaReport(store).writeSwift(to: output) } else { try SchemaReport(store).write(to: output) }
      }
    }
  }
}
#endif
