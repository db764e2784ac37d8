#if Command
import ArgumentParser
import Foundation
import RepriseCore
import RepriseTool

/// The command `reprise`.
@main
struct RepriseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reprise",
    abstract: "Look into a Reprise store: its objects, its history, and the author of each change.",
    discussion: """
      A store is a directory. The commands of the groups Look and History only read it, also while a program uses \
      it. The groups Change and Remove ask before they change the store. In a script, they need '--yes'.

      Objects are written as Entity/UUID, as a UUID, or as a URI. Positions are written as @1234, head, head~3, or as \
      a date or a time in UTC: 2026-11-20, '2026-11-20 18:30'.
      """,
    version: RepriseVersion.current,
    subcommands: [Manual.self],
    groupedSubcommands: [
      CommandGroup(name: "Look", subcommands: [Info.self, Query.self, Show.self, SchemaCommand.self, Inspect.self]),
      CommandGroup(name: "History", subcommands: [Log.self, Watch.self, Diff.self, History.self, Blame.self]),
      CommandGroup(name: "Change", subcommands: [Revert.self, DraftsCommand.self, Scenes.self]),
      CommandGroup(name: "Exchange", subcommands: [Export.self, Import.self]),
      CommandGroup(name: "Maintain", subcommands: [Check.self, Verify.self, Backup.self, Compact.self]),
      CommandGroup(name: "Repair", subcommands: [Rebuild.self, Salvage.self]),
      CommandGroup(name: "Remove", subcommands: [Retain.self, Erase.self]),
    ])

  /// Like the `main` of the protocol, and writes errors so that a terminal cannot obey them. They may have names of the
  /// store.
  static func main() async {
    Interrupts.begin()
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch is CancellationError {
      try? await Interrupts.end()
    } catch {
      let code = exitCode(for: error)
      let message =
        error is any RepriseError ? "Error: \(CommandWords.of(error))" : CommandWords.text(fullMessage(for: error))
      let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map { PlainText.line(String($0)) }
      if !message.isEmpty {
        let file = code.isSuccess ? FileHandle.standardOutput : FileHandle.standardError
        file.write(Data((lines.joined(separator: "\n") + "\n").utf8))
      }
      Foundation.exit(code.rawValue)
    }
  }
}

struct Manual: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the page for 'man'.", shouldDisplay: false)

  func run() throws {
    let groups = RepriseCommand.configuration.groupedSubcommands.map { group in
      (name: group.name, commands: group.subcommands.map { $0._commandName })
    }
    let page = try ManualPage(RepriseCommand._dumpHelp(), version: RepriseVersion.current, groups: groups)
    for line in page.lines { print(line) }
  }
}
#else
/// Without the trait, there is nothing to parse arguments with.
@main
enum RepriseCommand {
  static func main() {
    print("The command needs the trait 'Command': swift run --traits Command reprise --help")
  }
}
#endif
