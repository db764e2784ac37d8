import Foundation

/// Counts runs of a program from outside, with one tool for each count. Each count is the least of some runs: what else
/// the kernel does adds a page now and then, and threads that take turns otherwise add some calls.
struct Counters {
  /// Where traces are kept while they are read.
  let folder: String

  /// The store is made anew by `prepare` for each run: a run leaves it changed.
  func counts(
    _ program: (_ store: String) -> Program, _ prepare: () throws -> ScratchStore, slowRuns: Int
  ) throws -> Counts {
    var counts: Counts = [:]
    func run(_ times: Int, _ count: () throws -> Counts) rethrows {
      for _ in 0..<times { counts.merge(try count()) { min($0, $1) } }
    }
    try run(slowRuns) { [.instructions: try instructions(program, prepare)] }
    try run(3) { try calls(program, prepare) }
    try run(7 * slowRuns) { [.faults: try faults(program, prepare)] }
    return counts
  }

  /// Under callgrind. Hashing without a random seed, so that two runs hash alike.
  private func instructions(
    _ program: (String) -> Program, _ prepare: () throws -> ScratchStore
  ) throws -> Double {
    guard Self.isThere("valgrind") else { throw BenchmarkError.missing("valgrind") }
    let store = try prepare()
    let traced = program(store.path)
    let run = try Program(
      path: "valgrind",
      arguments: ["--tool=callgrind", "--callgrind-out-file=/dev/null", traced.path] + traced.arguments
    ).run(deadline: 600)
    try Worker.check(run)
    let line = run.complaint.split(separator: "\n").last { $0.contains("Collected : ") }
    guard let number = line?.split(separator: " ").last.flatMap({ Double($0) }) else {
      throw BenchmarkError.failed("valgrind did not say how many instructions it counted: \(run.complaint.lastLine)")
    }
    return number
  }

  private func faults(_ program: (String) -> Program, _ prepare: () throws -> ScratchStore) throws -> Double {
    let store = try prepare()
    let run = try program(store.path).run(deadline: 120)
    try Worker.check(run)
    return Double(run.minorFaults)
  }

  private func calls(_ program: (String) -> Program, _ prepare: () throws -> ScratchStore) throws -> Counts {
    guard Self.isThere("strace") else { throw BenchmarkError.missing("strace") }
    let store = try prepare()
    let traced = program(store.path)
    let output = folder + "/calls.trace"
    defer { try? FileManager.default.removeItem(atPath: output) }
    let run = try Program(
      path: "strace", arguments: ["-f", "-y", "-s", "0", "-o", output, traced.path] + traced.arguments
    ).run(deadline: 600)
    if run.complaint.contains("ptrace") { throw BenchmarkError.missing("the right to trace (ptrace)") }
    try Worker.check(run)
    let text = try String(contentsOfFile: output, encoding: .utf8)
    let writes = WriteTrace(text, store: store.path)
    return [
      .calls: Double(Self.calls(in: text, from: store.path)), .waits: Double(Self.waits(in: text)),
      .bytes: Double(writes.bytes),
      .flushes: Double(writes.flushes),
    ]
  }

  /// Those that wait and wake, whose number depends on how threads take turns; and those that manage memory, which is
  /// counted by pages.
  static let uncounted: Set<Substring> = [
    "futex", "sched_yield", "restart_syscall", "epoll_wait", "poll", "ppoll", "nanosleep", "clock_nanosleep",
    "rt_sigsuspend", "exit", "exit_group", "brk", "mmap", "munmap", "mremap", "mprotect", "madvise",
  ]

  /// From the first call that names the store on: those before it load the program, and where the loader looks for
  /// libraries depends on the processor.
  static func calls(in trace: String, from store: String) -> Int {
    trace.split(separator: "\n").drop { !$0.contains(store) || $0.contains("execve(") }.count { line in
      let call = line.drop { $0 != " " }.drop { $0 == " " }
      guard let end = call.firstIndex(of: "("), !call.hasPrefix("<"), !call.hasPrefix("+"), !call.hasPrefix("-") else {
        return false
      }
      return !uncounted.contains(call[..<end])
    }
  }

  /// A call that another thread interrupts has two lines, and counts once.
  static func waits(in trace: String) -> Int {
    trace.split(separator: "\n").count { $0.contains(" futex(") }
  }

  static func isThere(_ tool: String) -> Bool {
    (try? Program(path: tool, arguments: ["--version"]).run())?.status == 0
  }
}

extension String {
  fileprivate var lastLine: String { split(separator: "\n").last.map(String.init) ?? "" }
}
