#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The output of the demonstration. Coloured on a terminal, plain in a pipe; unbuffered, as a process that kills itself
/// does not flush.
struct Terminal {
  enum Style: String {
    case plain = ""
    case bold = "1"
    case faint = "2"
    case good = "32"
    case bad = "1;31"
    case edited = "33"
    case heading = "1;36"
  }

  let isColoured: Bool
  /// Whether a line can be overwritten.
  let isInteractive: Bool

  init(allowsColour: Bool) {
    isInteractive = isatty(STDOUT_FILENO) == 1
    isColoured = allowsColour && isInteractive && getenv("NO_COLOR") == nil
  }

  func styled(_ text: String, _ style: Style) -> String {
    isColoured && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  func line(_ text: String = "", _ style: Style = .plain) { Self.write(styled(text, style) + "\n", to: STDOUT_FILENO) }

  func heading(_ text: String) {
    line()
    line(text, .heading)
  }

  /// A name and what it is, in two columns.
  func fact(_ name: String, _ value: String, _ style: Style = .plain) {
    Self.write("  " + name.padded(to: 38) + " " + styled(value, style) + "\n", to: STDOUT_FILENO)
  }

  /// Prints a line that the next one overwrites, on a terminal.
  func passing(_ text: String) {
    if isInteractive { Self.write("\r\u{1B}[K" + styled(text, .faint), to: STDOUT_FILENO) }
  }

  /// Erases a passing line.
  func passed() { if isInteractive { Self.write("\r\u{1B}[K", to: STDOUT_FILENO) } }

  static func complain(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to file: Int32) {
    _ = putAll(Array(text.utf8)[...], into: file)
  }
}
