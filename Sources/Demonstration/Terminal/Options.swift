/// The command line of the demonstration.
struct Options {
  enum Phase: String, CaseIterable {
    case load
    case edit
    case restore
  }

  /// The phase to run; `nil` for all of them.
  var phase: Phase?
  /// The store's directory.
  var store: String?
  /// The folder with the history.
  var data = Options.dataBesideSources
  /// The number of transactions to load at most.
  var transactions: Int?
  var allowsColour = true
  /// When the parent started this process, in nanoseconds of ``SharedClock``.
  var startedAt: UInt64?

  static let help = """
    Loads the history of the US Congress into a store, edits it, kills itself with SIGKILL, and comes back.

      RepriseDemo [--store PATH] [--data PATH] [--transactions N] [--no-color]

      --store PATH        where to make the store; nothing may be there. Otherwise in a temporary folder
      --data PATH         the folder with history.jsonl.gz and checkpoints.jsonl
      --transactions N    load the first N transactions only
      --no-color          no colour, even on a terminal
      --phase NAME        one part alone (load, edit, restore); needs --store
    """

  /// This file lies in Sources/Demo.
  private static var dataBesideSources: String {
    let folders = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    return (folders + ["Tests", "Data", "congress-history"]).joined(separator: "/")
  }

  init(_ arguments: some Sequence<String>) throws(DemoError) {
    var rest = Array(arguments)[...]
    while let option = rest.popFirst() {
      switch option {
      case "--store": store = try Self.value(of: option, &rest)
      case "--data": data = try Self.value(of: option, &rest)
      case "--no-color": allowsColour = false
      case "--transactions":
        guard let number = Int(try Self.value(of: option, &rest)), number > 0 else {
          throw .usage("--transactions needs a number above 0.")
        }
        transactions = number
      case "--phase":
        guard let phase = Phase(rawValue: try Self.value(of: option, &rest)) else {
          throw .usage("--phase is one of \(Phase.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        self.phase = phase
      case "--started-at":
        guard let time = UInt64(try Self.value(of: option, &rest)) else {
          throw .usage("--started-at needs nanoseconds.")
        }
        startedAt = time
      default: throw .usage("There is no option '\(option)'.")
      }
    }
    if phase != nil && store == nil { throw .usage("--phase needs --store: which store is it to work on?") }
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(DemoError) -> String {
    guard let value = rest.popFirst(), !value.isEmpty else { throw .usage("\(option) needs a value.") }
    return value
  }
}
