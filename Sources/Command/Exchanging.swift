#if Command
import ArgumentParser
import Foundation
import RepriseCore
import RepriseDynamic
import RepriseTool

extension StoreExport.Format: ExpressibleByArgument {}

struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write objects as JSON lines or CSV. The store may be in use.",
    discussion: """
      JSON lines have the entities, each object with its relationships, and the bytes of blobs. 'reprise import' makes \
      the same store of them. Equal stores have equal files, so 'diff' shows the differences.

      CSV has one table for each entity. Without a fetch and --entity, --output is a directory. An empty cell is nil, \
      and "" is an empty text. Blobs have only their names.

      Only you can read the files of --output, as with a store.

      The fetch is a text as in 'reprise query', and may name a position, too.
      """)

  @OptionGroup var argument: StoreArgument
  @Argument(help: "The objects. All without it.") var fetch: String?
  @Option(help: "The form: jsonl or csv.") var format = StoreExport.Format.jsonl
  @Option(help: "Only objects of this entity.") var entity: String?
  @Option(help: "A position, a date or a time.") var asOf: String?
  @Option(help: "A file, or a directory for several tables. Without it, the standard output.", completion: .file())
  var output: String?

  @MainActor func run() async throws {
    var export = StoreExport()
    export.fetch = try fetch.map { try FetchText($0) }
    export.entity = entity
    if asOf != nil, export.fetch?.moment != nil {
      throw ValidationError("The fetch has a position or a time already, so leave out '--as-of'.")
    }
    try await argument.open { store in
      export.position = try asOf.map { try Places(store).position($0) }
      // Ctrl-C ends the task, which then removes the unfinished file. The standard output has no such file.
      try await ProgressBar.show("Exporting") { progress in
        export.progress = progress
        if output == nil { return try await write(export, store) }
        try await Interrupts.cancelling { [export] in try await write(export, store) }
      }
    }
  }

  @MainActor private func write(_ export: StoreExport, _ store: Store) async throws {
    func write(_ text: String, to file: ExportFile) throws {
      try Task.checkCancellation()
      try file.write(text)
    }
    let entities = try export.entities(store)
    if format == .jsonl, let warning = MissingRules(of: store).text {
      FileHandle.standardError.write(Data("\(warning)\n".utf8))
    }
    if format == .csv, entities.count != 1 || output != nil && fetch == nil && entity == nil {
      guard let output else {
        throw ValidationError("The store has several entities. Pass '--entity', or a directory with '--output'.")
      }
      let folder = try ExportFolder(output)
      for entity in entities {
        try folder.add(ExportFile.name(of: entity, .csv)) { file in
          try export.writeCSV(store, entity) { try write($0, to: file) }
        }
      }
      try folder.finish()
    } else if let output {
      let file = try ExportFile(output)
      if format == .csv {
        try export.writeCSV(store, entities[0]) { try write($0, to: file) }
      } else {
        try await export.writeJSON(store) { try write($0, to: file) }
      }
      try file.finish()
    } else {
      try await Terminal.writeFile { write in
        if format == .csv {
          try export.writeCSV(store, entities[0], write)
        } else {
          try await export.writeJSON(store, write)
        }
      }
    }
  }
}

struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Insert and update the objects of a file, by their IDs.",
    discussion: """
      Reads the files that 'reprise export' writes. If there is no store, JSON lines make one with the entities of the \
      file.

      An object that the store has gets the values of the file. Other objects stay. The whole file is checked first. A \
      file with at most 50,000 changes and 64 MB of texts is imported in one transaction, so all of it is saved or \
      nothing. A longer file takes several transactions. If one fails, the earlier ones stay, and you can import the \
      file again.

      The file may also be a draft of 'reprise drafts --export'. Then the edits of the draft are saved as one \
      transaction. If the store has other values than the draft began with, nothing is imported.

      Derived attributes get the values of the file. A program computes them again when it opens the store.
      """)

  @OptionGroup var argument: StoreArgument
  @Argument(help: "The file, a directory with tables, or - for the standard input.", completion: .file())
  var file: String
  @Option(help: "The form: jsonl or csv. Without it, the name of the file decides.") var format: StoreExport.Format?
  @Option(help: "Only objects of this entity.") var entity: String?
  @Option(help: "The author of the transactions.") var author: String?
  @Flag(help: "Only show the numbers of objects.") var dryRun = false
  @OptionGroup var consent: Consent
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    var run = ImportRun()
    run.format = format
    run.entity = entity
    run.author = author
    run.isTrial = dryRun
    run.confirm = { [consent] counts in
      try ProgressBar.paused("Importing") {
        let deletion = counts.deleted == 0 ? "" : " Delete \(counts.deleted)?"
        try consent.require("Insert \(counts.inserted) and update \(counts.updated) objects?\(deletion)")
      }
      return true
    }
    run.progress = { ProgressBar.go(on: $0 == .checking ? "Checking" : "Importing", $1) }
    let spooled = SpooledInput.isNeeded(for: file) ? try SpooledInput(file) : nil
    let file = spooled?.path ?? file
    let isThere = FileManager.default.fileExists(atPath: argument.store)
    let imported = { @MainActor [run, argument] in
      try await ProgressBar.show("Checking") { _ in try await run.run(file, into: argument.store) }
    }
    // Ctrl-C ends the task, which then removes the unfinished store.
    let counts =
      isThere
      ? try await imported()
      : try await Interrupts.cancelling { try await Interrupts.making(copy: argument.store, imported) }
    guard let counts else { throw ExitCode.failure }
    withExtendedLifetime(spooled) {}
    try terminal.write { try ImportText(counts, isTrial: dryRun).write(to: $0) }
  }
}

extension Terminal {
  /// Runs `body` with a function that writes to the standard output. A terminal gets nothing that it obeys.
  @MainActor static func writeFile(_ body: @MainActor ((String) throws -> Void) async throws -> Void) async throws {
    let isTerminal = isatty(STDOUT_FILENO) != 0
    let file = OutputFile(pager: nil)
    let result: Result<Void, any Error>
    do {
      result = .success(
        try await body { text in
          if !isTerminal { return try file.write(text) }
          ProgressBar.clear()
          for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            try file.write(PlainText.line(String(decoding: line, as: UTF8.self)) + "\n")
          }
        })
    } catch { result = .failure(error) }
    try file.ending { try result.get() }
  }
}
#endif
