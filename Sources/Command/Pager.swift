#if Command
import Foundation

/// The program that shows long output.
enum Pager {
  /// The command of `PAGER`, or `less`. `nil` for no pager, or for one that the machine lacks.
  static var command: String? {
    let wanted = ProcessInfo.processInfo.environment["PAGER"] ?? "less"
    let program = wanted.split(separator: " ").first.map(String.init) ?? "cat"
    return program == "cat" || !isInstalled(program) ? nil : wanted
  }

  private static func isInstalled(_ program: String) -> Bool {
    if program.contains("/") { return access(program, X_OK) == 0 }
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { access("\($0)/\(program)", X_OK) == 0 }
  }
}
#endif
