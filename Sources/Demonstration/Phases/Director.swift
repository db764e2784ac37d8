import RepriseCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs all phases, each in a process of its own, and checks how each ends.
struct Director {
  private let options: Options
  private let terminal: Terminal

  init(_ options: Options, _ terminal: Terminal) {
    self.options = options
    self.terminal = terminal
  }

  func run() throws(DemoError) {
    let store = if let given = options.store { given } else { try Self.temporaryStore() }
    terminal.line(
      "Reprise \(RepriseVersion.current): after a kill, unsaved edits are back, with the screens that show them", .bold)

    terminal.heading("Fourteen years of edits to the US Congress, as transactions of a fresh store")
    try play(.load, store, expecting: .exited(0))

    terminal.heading("A user scrolls far down, opens a member, edits, edits one term within that, and is cut off")
    try play(.edit, store, expecting: .killed(signal: SIGKILL))
    terminal.fact("the process", "died by SIGKILL", .good)

    terminal.heading("A new process")
    try play(.restore, store, expecting: .exited(0))
  }

  private func play(_ phase: Options.Phase, _ store: String, expecting end: ChildProcess.End) throws(DemoError) {
    var arguments = ["--phase", phase.rawValue, "--store", store, "--data", options.data]
    if let transactions = options.transactions { arguments += ["--transactions", "\(transactions)"] }
    if !options.allowsColour { arguments.append("--no-color") }
    arguments += ["--started-at", "\(SharedClock.now())"]
    let child = try ChildProcess.start(ChildProcess.ownProgram, arguments)
    let found = child.wait()
    if found == end { return }
    switch found {
    case .exited(let code): throw .failed("The part '\(phase.rawValue)' ended with exit code \(code).", code: code)
    case .killed(let signal): throw .differs("The part '\(phase.rawValue)' died by signal \(signal).")
    }
  }

  private static func temporaryStore() throws(DemoError) -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/reprise-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .system("making a folder in \(parent)", errno) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/congress.reprise"
  }
}
