#if Command
import Foundation
import RepriseTool

/// The standard output, or a pager that shows it.
final class OutputFile {
  /// The reader of the output has ended.
  struct Ended: Error {}

  private let pager: String?
  private var opened: UnsafeMutablePointer<FILE>?
  private var process: PagerProcess?

  /// - Parameter pager: A command for the shell. It starts with the first line, so that Ctrl-C ends the command before.
  init(pager: String?) {
    // A reader such as `head` may end early.
    signal(SIGPIPE, SIG_IGN)
    self.pager = pager
  }

  func write(_ text: String) throws {
    let (file, bytes) = (try file(), Array(text.utf8))
    if process?.hasStopped == true { throw Ended() }
    if fwrite(bytes, 1, bytes.count, file) != bytes.count { throw Self.failure }
  }

  func flush() throws {
    if let opened, fflush(opened) != 0 { throw Self.failure }
  }

  /// Runs `body`, and closes the file. Throws if any part could not be written.
  func ending(_ body: () throws -> Void) throws {
    do {
      try body()
      try flush()
    } catch is Ended {} catch {
      close()
      throw error
    }
    close()
  }

  private func close() {
    guard let opened else { return }
    self.opened = nil
    guard let process else { return _ = fclose(opened) }
    // The pager may read the rest slowly, and a signal may arrive meanwhile.
    fflush(opened)
    process.wait { fclose(opened) }
  }

  private func file() throws -> UnsafeMutablePointer<FILE> {
    if let opened { return opened }
    if let pager { process = try Self.start(pager) }
    guard let file = fdopen(process?.input ?? dup(STDOUT_FILENO), "w") else { throw Self.failure }
    opened = file
    return file
  }

  private static func start(_ pager: String) throws -> PagerProcess {
    // As git does: quit if the output fits, and pass colours on.
    setenv("LESS", "FRX", 0)
    ProgressBar.clear()
    guard let process = PagerProcess(pager) else { throw failure }
    Interrupts.wait(for: process)
    return process
  }

  /// The failure of the last write.
  private static var failure: any Error {
    errno == EPIPE
      ? Ended() : OutputError(description: "The output cannot be written: \(String(cString: strerror(errno))).")
  }
}

struct OutputError: Error, CustomStringConvertible { let description: String }
#endif
