#if Command
import ArgumentParser
import RepriseCore
import RepriseTool

struct Info: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show entities, counts, sizes, and the span of the log.")

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
      try terminal.write { try report.write(to: $0) }
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
