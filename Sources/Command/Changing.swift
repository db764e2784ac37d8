#if Command
import ArgumentParser
import Foundation
import RepriseCore
import RepriseTool

struct Revert: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Revert a transaction by a new one. Shows the changes first.",
    discussion: "Later changes of the same values are conflicts, and need '--mine' or '--theirs'.")

  @OptionGroup var argument: StoreArgument
  @Argument(help: "The position of the transaction.") var transaction: String
  @Flag(
    help: ArgumentHelp("The answer to all conflicts: restore the earlier values, or keep the later changes."))
  var answer: RevertPlan.Answer?
  @Option(help: "The author of the new transaction, by default the name of the user.") var author: String?
  @OptionGroup var consent: Consent
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    try await argument.open(editing: consent.isPossible) { store in
      let position = try Places(store).position(transaction)
      var plan = RevertPlan(of: position, in: store)
      plan.answer = answer
      let preview = try plan.preview()
      try terminal.write { try preview.write(to: $0) }
      try preview.requireReady()
      try consent.require("Revert?")
      let saved = try await plan.save(as: preview, by: author ?? NSUserName())
      try terminal.write { try RevertText(saved, undoes: position).write(to: $0) }
    }
  }
}

extension RevertPlan.Answer: EnumerableFlag {}
extension DraftPlan.Answer: EnumerableFlag {}

struct DraftsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drafts", abstract: "Show, export, save or discard the unsaved edits that the store keeps.")

  @OptionGroup var argument: StoreArgument
  @Argument(help: "The ID of a draft, to show its changes.") var id: String?
  @Option(help: "The ID of a draft to write as JSON lines, with all its edits.") var export: String?
  @Option(help: "A file for '--export'. Without it, the standard output.") var output: String?
  @Option(help: "The ID of a draft to save as a transaction.") var save: String?
  @Flag(
    help: ArgumentHelp("The answer to all conflicts of '--save': save the draft's values, or keep the later ones."))
  var answer: DraftPlan.Answer?
  @Option(help: "The ID of a draft to discard with its edits.") var discard: String?
  @OptionGroup var consent: Consent
  @OptionGroup var terminal: Terminal

  func validate() throws {
    if [id, export, save, discard].count(where: { $0 != nil }) > 1 {
      throw ValidationError("Name one draft: to show it, or with '--export', '--save' or '--discard'.")
    }
    if answer != nil, save == nil { throw ValidationError("'--mine' and '--theirs' need '--save'.") }
    if output != nil, export == nil { throw ValidationError("'--output' needs '--export'.") }
  }

  @MainActor func run() async throws {
    try await argument.open(editing: (discard != nil || save != nil) && consent.isPossible) { store in
      if let export { return try await write(DraftsReport.export(export, of: store), store) }
      let drafts = try DraftsReport(store)
      if let discard {
        try consent.require(drafts.draft(discard).question)
        try store.drafts.discard(discard)
        return try terminal.write { try RemovalText(discard).write(to: $0) }
      }
      if let save {
        let question = "Save the draft '\(PlainText.line(save))' as a transaction?"
        guard consent.isPossible else {
          // Only a store that is open for editing knows the conflicts.
          try terminal.write { try drafts.draft(save).write(to: $0) }
          throw ToolError.needsYes(question: question)
        }
        let plan = try DraftPlan(save, of: store, answer)
        try terminal.write { try plan.write(to: $0) }
        try plan.requireReady()
        try consent.require(question)
        let position = try await plan.save(as: "Save a draft")
        return try terminal.write { try SavedDraftText(save, position).write(to: $0) }
      }
      if let id {
        let draft = try drafts.draft(id)
        return try terminal.write(isLong: true) { try draft.write(to: $0) }
      }
      try terminal.write { try drafts.write(to: $0) }
    }
  }

  @MainActor private func write(_ export: DraftExport, _ store: Store) async throws {
    guard let output else {
      return try await Terminal.writeFile { write in try await export.write(store) { try write($0) } }
    }
    try await Interrupts.cancelling {
      let file = try ExportFile(output)
      try await export.write(store) {
        try Task.checkCancellation()
        try file.write($0)
      }
      try file.finish()
    }
  }
}

struct Scenes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show or remove the screens that the store keeps for the next launch.")

  @OptionGroup var argument: StoreArgument
  @Argument(help: "The name of a scene, to show its nodes.") var name: String?
  @Option(help: "The name of a scene to remove.") var remove: String?
  @OptionGroup var consent: Consent
  @OptionGroup var terminal: Terminal

  func validate() throws {
    if name != nil, remove != nil { throw ValidationError("Show a scene, or remove one with '--remove'.") }
  }

  @MainActor func run() async throws {
    try await argument.open(editing: remove != nil && consent.isPossible) { store in
      let scenes = try ScenesReport(store)
      if let remove {
        try consent.require(scenes.tree(of: remove).question)
        try Restoration.removeScene(remove, in: store)
        return try terminal.write { try RemovalText(remove).write(to: $0) }
      }
      if let name {
        let tree = try scenes.tree(of: name)
        return try terminal.write(isLong: true) { try tree.write(to: $0) }
      }
      try terminal.write { try scenes.write(to: $0) }
    }
  }
}
#endif
