#if Command
import ArgumentParser
import RepriseCore
import RepriseTool

/// Problems were found. Tests in scripts see the number.
private let unsound = ExitCode(2)

struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check the structure of the file. The store may be in use.",
    discussion: "Exits with 2 if the structure is damaged.")

  @OptionGroup var argument: StoreArgument
  @OptionGroup var terminal: Terminal

  func run() async throws {
    let report = try await StoreMaintenance.check(argument.store)
    try terminal.write { try FindingsReport(report).write(to: $0) }
    if !report.isSound { throw unsound }
  }
}

struct Verify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compare all objects, indexes and hashes with the log.",
    discussion: "Exits with 2 if anything differs. Reads the whole store.")

  @OptionGroup var argument: StoreArgument
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open { store in
      let report = try await StoreMaintenance.verify(store)
      try terminal.write { try FindingsReport(report).write(to: $0) }
      if !report.isSound { throw unsound }
    }
  }
}

struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy the store, as it is at one moment. The store may be in use.",
    discussion: "Opens the store as a program does. So it also takes over the drafts of programs that were killed.")

  @OptionGroup var argument: StoreArgument
  @Argument(help: "A directory that does not exist, or is empty.", completion: .directory) var copy: String
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open(editing: true) { store in
      let report = try await StoreMaintenance.backup(store, to: copy)
      try terminal.write { try BackupText(report, copy).write(to: $0) }
    }
  }
}

struct Compact: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Return unused space of a store to the file system. No process may have the store open.")

  @OptionGroup var argument: StoreArgument
  @OptionGroup var terminal: Terminal

  func run() async throws {
    let report = try await StoreMaintenance.compact(argument.store)
    try terminal.write { try CompactionText(report).write(to: $0) }
  }
}
#endif
