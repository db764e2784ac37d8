#if Command
import ArgumentParser
import RepriseCore
import RepriseTool

struct Log: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show transactions, newest first.")

  @OptionGroup var argument: StoreArgument
  @Option(name: [.customShort("n"), .long], help: "The most transactions to show.") var limit = 20
  @Option(help: "Only transactions of this author.") var author: String?
  @Option(help: "Only changes of objects of this entity.") var entity: String?
  @Option(help: "Only changes of this object.") var object: String?
  @Option(help: "Only transactions at or after a position, a date or a time.") var since: String?
  @Option(help: "Only transactions up to a position, a date with its end, or a time.") var until: String?
  @Flag(help: "Show the numbers of changes.") var stat = false
  @Flag(help: "Show each change with old and new values.") var patch = false
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open { store in
      let places = Places(store)
      var report = LogReport()
      report.limit = limit
      report.detail = patch ? .patch : stat ? .counts : .line
      report.author = author
      report.entity = try entity.map { try places.entity($0).name }
      if let object { report.object = try places.pastObject(object, in: RootContext(store)) }
      report.first = try since.map { try places.firstPosition($0) }
      report.last = try until.map { try places.lastPosition($0) }
      try await ProgressBar.show("Reading the log") { progress in
        try terminal.write(isLong: true) { try report.write(store, to: $0, progress) }
      }
    }
  }
}

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show each new transaction once a process has saved it. Ctrl-C ends it.")

  @OptionGroup var argument: StoreArgument
  @Option(name: [.customShort("n"), .long], help: "Begin with so many earlier transactions.") var last = 0
  @Option(help: "Only transactions of this author.") var author: String?
  @Option(help: "Only changes of objects of this entity.") var entity: String?
  @Flag(help: "Show the numbers of changes.") var stat = false
  @Flag(help: "Show each change with old and new values.") var patch = false
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open { store in
      var report = LogReport()
      report.limit = last
      report.detail = patch ? .patch : stat ? .counts : .line
      report.author = author
      report.entity = try entity.map { try Places(store).entity($0).name }
      try await terminal.stream { [report] output in
        try await Interrupts.cancelling { try await report.follow(store, to: output) }
      }
    }
  }
}

struct Diff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the difference between two positions, as one change for each object.")

  @OptionGroup var argument: StoreArgument
  @Argument(help: "The first position, date or time.") var from: String
  @Argument(help: "The second one.") var to = "head"
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open { store in
      let places = Places(store)
      let (from, to) = (try places.position(from), try places.position(to))
      try await ProgressBar.show("Comparing") { _ in
        try terminal.write(isLong: true) { try DifferenceReport.write(store, from: from, to: to, to: $0) }
      }
    }
  }
}

struct History: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the transactions that changed an object, newest first.")

  @OptionGroup var argument: StoreArgument
  @Argument(help: "The object.") var object: String
  @Option(name: [.customShort("n"), .long], help: "The most transactions to show.") var limit: Int?
  @Option(help: "Only changes of this property.") var property: String?
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open { store in
      let context = RootContext(store)
      let report = ObjectReport(try Places(store).pastObject(object, in: context), in: context)
      try terminal.write(isLong: true) { try report.writeHistory(limit: limit, property: property, to: $0) }
    }
  }
}

struct Blame: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show each property of an object with the transaction that changed it last.")

  @OptionGroup var argument: StoreArgument
  @Argument(help: "The object.") var object: String
  @Option(help: "A position, a date or a time.") var asOf: String?
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open { store in
      let places = Places(store)
      let context: ObjectContext =
        if let asOf { try store.context(at: places.position(asOf)) } else { RootContext(store) }
      let id = try asOf == nil ? places.pastObject(object, in: context) : places.object(object, in: context)
      try terminal.write(isLong: true) { try ObjectReport(id, in: context).writeBlame(to: $0) }
    }
  }
}
#endif
