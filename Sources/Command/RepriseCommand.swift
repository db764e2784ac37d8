#if Command
import ArgumentParser
import RepriseCore

/// The command `reprise`.
@main
struct RepriseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reprise",
    abstract: "Look into a Reprise store: its objects, its history, and the author of each change.",
    discussion: """
      A store is a directory. Every command that does not say otherwise only reads it, also while a program uses it.

      Objects are written as Entity/UUID, as a UUID, or as a URI. Positions are written as @1234, head, head~3, or as
      a date or a time in UTC: 2026-11-20, '2026-11-20 18:30'.
      """,
    version: RepriseVersion.current,
    groupedSubcommands: [
      CommandGroup(name: "Look", subcommands: [Info.self, Query.self, Show.self, SchemaCommand.self]),
      CommandGroup(name: "History", subcommands: [Log.self, Diff.self, History.self, Blame.self]),
      CommandGroup(name: "Maintain", subcommands: [Check.self, Verify.self, Backup.self, Compact.self]),
    ])
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
