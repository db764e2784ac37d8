#if Command
import ArgumentParser
import Foundation
import RepriseCore
import RepriseDynamic
import RepriseTool

/// The options that all commands have.
struct Terminal: ParsableArguments {
  enum Colours: String, ExpressibleByArgument, CaseIterable { case auto, always, never }

  @Flag(help: "Write one JSON object in each line.")
  var json = false

  @Option(help: "Use colours: auto, always or never.")
  var color = Colours.auto

  @Flag(help: "Write long output to the terminal at once, and not through $PAGER.")
  var noPager = false

  private var isTerminal: Bool { isatty(STDOUT_FILENO) != 0 }

  private var form: Output.Form {
    if json { return .json }
    let environment = ProcessInfo.processInfo.environment
    let isPlain = environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
    let hasColours = color == .always || color == .auto && isTerminal && !isPlain
    return .text(Style(hasColours: hasColours, columns: isTerminal ? Columns.of(STDOUT_FILENO) : nil))
  }

  /// Runs `body` with the output.
  ///
  /// - Parameter isLong: Whether the output may need a pager.
  func write(isLong: Bool = false, _ body: (Output) throws -> Void) throws {
    let file = OutputFile(pager: isLong && isTerminal && !noPager && !json ? Pager.command : nil)
    try file.ending { try body(output(file)) }
  }

  /// Runs `body` with an output whose reader gets each flushed part at once.
  @MainActor
  func stream(_ body: @MainActor (Output) async throws -> Void) async throws {
    let file = OutputFile(pager: nil)
    let result: Result<Void, any Error>
    do { result = .success(try await body(output(file))) } catch { result = .failure(error) }
    try file.ending { try result.get() }
  }

  private func output(_ file: OutputFile) -> Output {
    let hidesProgress = Self.hidesProgress
    return Output(form) {
      try file.flush()
    } _: { line in
      if hidesProgress { ProgressBar.clear() }
      try file.write(line + "\n")
    }
  }

  /// Whether the output may be on the same terminal as the progress: directly, or through a program such as `less`.
  private static var hidesProgress: Bool {
    var status = stat()
    return fstat(STDOUT_FILENO, &status) != 0 || status.st_mode & S_IFMT != S_IFREG
  }
}

/// The columns of a terminal.
enum Columns {
  static func of(_ file: Int32) -> Int? {
    var size = winsize()
    if ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
  }
}

/// The store that a command opens.
struct StoreArgument: ParsableArguments {
  @Argument(help: "The directory of the store.", completion: .directory)
  var store: String

  /// Runs `body` with the store, and closes it.
  @MainActor
  func open<Result>(
    editing: Bool = false, _ body: @MainActor (Store) async throws -> Result
  ) async throws -> Result {
    let opened = try await Store.open(inspecting: store, editing: editing)
    let result: Result
    do { result = try await body(opened) } catch {
      try? await opened.close()
      throw error
    }
    try await opened.close()
    return result
  }
}
#endif
