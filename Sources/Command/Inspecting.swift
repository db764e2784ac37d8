#if Command
import ArgumentParser
import Foundation
import RepriseCore
import RepriseInspector
import RepriseTool

struct Inspect: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the store in a web browser.",
    discussion: """
      Prints the address of a page, and serves it until Ctrl-C. The address has a secret, and works on this machine
      only.
      """)

  @OptionGroup var argument: StoreArgument
  @Option(help: "The port. A free one unless given.") var port = 0
  @Flag(help: "Allow to revert transactions, and to resume, save and discard drafts.") var edit = false
  @Option(help: "The author of reverts, and of drafts without an author. By default, the name of the user.")
  var author: String?
  @OptionGroup var terminal: Terminal

  private struct Served: Encodable { let url: String }

  func validate() throws {
    if author != nil, !edit { throw ValidationError("'--author' needs '--edit'.") }
  }

  @MainActor func run() async throws {
    guard (0...65_535).contains(port) else { throw ValidationError("A port is a number from 0 to 65535.") }
    try await argument.open(editing: edit) { store in
      let inspector = try await Inspector.serve(
        store, port: port, isEditable: edit, author: author ?? NSUserName(), isLive: false)
      try await Interrupts.cancelling {
        // From the first line on, Ctrl-C ends the server.
        try terminal.write { output in
          if terminal.json { try output.json(Served(url: inspector.url)) } else { try output.line(inspector.url) }
        }
        await withTaskCancellationHandler {
          try? await inspector.wait()
        } onCancel: {
          inspector.cancel()
        }
      }
    }
  }
}
#endif
