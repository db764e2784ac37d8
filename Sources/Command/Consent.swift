#if Command
import ArgumentParser
import Foundation
import RepriseTool

/// The consent to a change: asked for on a terminal, and an option in scripts.
struct Consent: ParsableArguments {
  @Flag(help: "Make the change without a question.")
  var yes = false

  /// Whether the user agrees already, or can answer a question.
  var isPossible: Bool { yes || canAsk }

  private var canAsk: Bool { isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0 }

  /// Asks, unless the user has agreed already.
  func require(_ question: String) throws {
    if yes { return }
    guard canAsk else { throw ToolError.needsYes(question: question) }
    FileHandle.standardError.write(Data("\(PlainText.line(question)) [y/N] ".utf8))
    let answer = readLine()
    if answer == nil { FileHandle.standardError.write(Data("\n".utf8)) }
    if !["y", "yes"].contains(answer?.lowercased()) { throw ToolError.declined }
  }
}
#endif
