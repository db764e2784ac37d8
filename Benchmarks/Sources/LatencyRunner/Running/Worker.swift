/// A peer's program: `worker command store [name=value]…`.
struct Worker {
  let peer: Peer
  let path: String

  func program(_ command: String, _ store: String, _ arguments: [String] = []) -> Program {
    Program(path: path, arguments: [command, store] + arguments + peer.arguments)
  }

  func run(
    _ command: String, _ store: String, _ arguments: [String] = [], deadline: Int = 120
  ) throws -> (began: Int, output: WorkerOutput) {
    let run = try program(command, store, arguments).run(deadline: deadline)
    try Self.check(run)
    return (run.began, try WorkerOutput(run.output))
  }

  /// The exit status by which a worker says that it has no such command.
  static let unsupported: Int32 = 64

  static func check(_ run: Program.Run) throws {
    if run.status == unsupported { throw BenchmarkError.unsupported }
    if run.status != 0 { throw BenchmarkError.failed("exit status \(run.status) \(run.complaint.firstLine)") }
  }
}
