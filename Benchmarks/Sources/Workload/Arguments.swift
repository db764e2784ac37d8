/// What a worker is asked to do: `WORKER COMMAND STORE [name=value]…`.
public struct Arguments {
  public let command: String
  public let store: String
  /// `name=value` each, searched when one is asked for: a restore asks for none, and pays for no table of them.
  private let options: ArraySlice<String>

  /// `nil` unless there are a command and a store, and every option is `name=value`.
  public init?(_ arguments: [String] = CommandLine.arguments) {
    guard arguments.count >= 3, arguments[3...].allSatisfy({ $0.utf8.contains(UInt8(ascii: "=")) }) else { return nil }
    command = arguments[1]
    store = arguments[2]
    options = arguments[3...]
  }

  /// The number given for an option.
  public func number(_ name: String, default value: Int) -> Int { text(name).flatMap { Int($0) } ?? value }

  /// The text given for an option.
  public func text(_ name: String, default value: String) -> String { text(name).map { String($0) } ?? value }

  /// Of an option that is given more than once, the last.
  private func text(_ name: String) -> Substring? {
    options.last { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
  }
}
