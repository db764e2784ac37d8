/// What a worker is asked to do: `WORKER COMMAND STORE [name=value]…`.
public struct Arguments {
  public let command: String
  public let store: String
  private let options: [String: Int]
  private let texts: [String: String]

  /// `nil` unless there are a command and a store, and every option is `name=value`.
  public init?(_ arguments: [String] = CommandLine.arguments) {
    guard arguments.count >= 3 else { return nil }
    command = arguments[1]
    store = arguments[2]
    var options: [String: Int] = [:]
    var texts: [String: String] = [:]
    for argument in arguments[3...] {
      guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let name = String(argument[..<equals])
      let value = String(argument[argument.utf8.index(after: equals)...])
      options[name] = Int(value)
      texts[name] = value
    }
    self.options = options
    self.texts = texts
  }

  /// The number given for an option.
  public func number(_ name: String, default value: Int) -> Int { options[name] ?? value }

  /// The text given for an option.
  public func text(_ name: String, default value: String) -> String { texts[name] ?? value }
}
