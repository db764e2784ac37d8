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
    let isPlain = ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty == false
    let hasColours = color == .always || color == .auto && isTerminal && !isPlain
    return .text(Style(hasColours: hasColours, columns: isTerminal ? Columns.of(STDOUT_FILENO) : nil))
  }

  /// The reader of the output has ended.
  struct Ended: Error {}

  /// Runs `body` with the output.
  ///
  /// - Parameter isLong: Whether the output may need a pager.
  func write(isLong: Bool = false, _ body: (Output) throws -> Void) throws {
    let (output, close) = try open(isLong: isLong)
    do { try body(output) } catch is Ended {} catch {
      close()
      throw error
    }
    close()
  }

  /// Runs `body` with an output whose reader gets each flushed part at once.
  @MainActor
  func stream(_ body: @MainActor (Output) async throws -> Void) async throws {
    let (output, close) = try open(isLong: false)
    do { try await body(output) } catch is Ended {} catch {
      close()
      throw error
    }
    close()
  }

  private func open(isLong: Bool) throws -> (output: Output, close: () -> Void) {
    // A reader such as `head` may end early.
    signal(SIGPIPE, SIG_IGN)
    let pager = isLong && isTerminal && !noPager && !json ? Self.openPager() : nil
    guard let file = pager ?? fdopen(dup(STDOUT_FILENO), "w") else { throw Self.failure }
    let hidesProgress = Self.hidesProgress
    let output = Output(form) {
      if fflush(file) != 0 { throw Self.failure }
    } _: { line in
      if hidesProgress { ProgressBar.clear() }
      if fputs(line + "\n", file) < 0 { throw Self.failure }
    }
    return (output, { _ = pager == nil ? fclose(file) : pclose(file) })
  }

  /// Whether the output may be on the same terminal as the progress: directly, or through a program such as `less`.
  private static var hidesProgress: Bool {
    var status = stat()
    return fstat(STDOUT_FILENO, &status) != 0 || status.st_mode & S_IFMT != S_IFREG
  }

  /// The failure of the last write.
  static var failure: any Error {
    errno == EPIPE
      ? Ended() : OutputError(description: "The output cannot be written: \(String(cString: strerror(errno))).")
  }

  private static func openPager() -> UnsafeMutablePointer<FILE>? {
    let wanted = ProcessInfo.processInfo.environment["PAGER"]
    if wanted == "" || wanted == "cat" { return nil }
    guard let wanted else { return isInstalled("less") ? openPager("less") : nil }
    return openPager(wanted)
  }

  private static func openPager(_ command: String) -> UnsafeMutablePointer<FILE>? {
    // As git does: quit if the output fits, and pass colours on. Ctrl-C belongs to the pager.
    setenv("LESS", "FRX", 0)
    Interrupts.leaveToPager()
    return popen(command, "w")
  }

  private static func isInstalled(_ program: String) -> Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { access("\($0)/\(program)", X_OK) == 0 }
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

struct OutputError: Error, CustomStringConvertible { let description: String }

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
