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
    let report = try await ProgressBar.show("Checking") { _ in try await StoreMaintenance.check(argument.store) }
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
      let report = try await ProgressBar.show("Verifying") { _ in try await StoreMaintenance.verify(store) }
      try terminal.write { try FindingsReport(report).write(to: $0) }
      if !report.isSound { throw unsound }
    }
  }
}

struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy the store, as it is at one moment. The store may be in use.",
    discussion: "Only reads the store, which may be on a read-only file system.")

  @OptionGroup var argument: StoreArgument
  @Argument(help: "A directory that does not exist, or is empty.", completion: .directory) var copy: String
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open { store in
      let report = try await Interrupts.making(copy: copy) {
        try await ProgressBar.show("Copying") { progress in
          try await StoreMaintenance.backup(store, to: copy) { progress($0.fractionCompleted) }
        }
      }
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
    let report = try await ProgressBar.show("Compacting") { progress in
      try await StoreMaintenance.compact(argument.store, progress: progress)
    }
    try terminal.write { try CompactionText(report).write(to: $0) }
  }
}

struct Rebuild: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make objects and indexes again from the log. First close the store in all programs.",
    discussion: "For a store whose log is sound, and whose objects or indexes are damaged. Changes all or nothing.")

  @OptionGroup var argument: StoreArgument
  @Flag(help: "Rebuild even if the log has lost its last transactions.") var acceptLoss = false
  @OptionGroup var consent: Consent
  @OptionGroup var terminal: Terminal

  func run() async throws {
    if acceptLoss { try consent.require("Rebuild without the last transactions, if the log has lost them?") }
    let report = try await ProgressBar.show("Rebuilding") { _ in
      try await StoreMaintenance.rebuild(argument.store, acceptingLoss: acceptLoss)
    }
    try terminal.write { try RebuildText(report).write(to: $0) }
  }
}

struct Salvage: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a new store from the remains of a damaged one. First close that store in all programs.",
    discussion: "The damaged store stays as it is. Exits with 2 if the new store lacks anything.")

  @OptionGroup var argument: StoreArgument
  @Argument(help: "A directory that does not exist, or is empty.", completion: .directory) var newStore: String
  @OptionGroup var terminal: Terminal

  func run() async throws {
    let report = try await Interrupts.making(copy: newStore) {
      try await ProgressBar.show("Salvaging") { _ in try await StoreMaintenance.salvage(argument.store, to: newStore) }
    }
    try terminal.write { try SalvageText(report).write(to: $0) }
    if !report.isComplete { throw unsound }
  }
}
#endif
