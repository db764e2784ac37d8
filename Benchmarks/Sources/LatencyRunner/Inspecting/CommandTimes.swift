/// Times the command, from just before the start of its process to its end.
struct CommandTimes {
  let program: String
  let objects: String
  let transactions: String

  private var commands: [(row: InspectorRow, arguments: [String])] {
    [
      (InspectorRow(name: "version", meaning: "reprise --version: no store, the start of the program"), ["--version"]),
      (InspectorRow(name: "info", meaning: "reprise info, many objects", target: 15), ["info", objects]),
      (
        InspectorRow(name: "log", meaning: "reprise log -n 20, many transactions", target: 15),
        ["log", transactions, "-n", "20"]
      ),
      (
        InspectorRow(name: "query", meaning: "reprise query, the first 20 of many objects"),
        ["query", objects, "Item limit 20"]
      ),
    ]
  }

  func rows(rounds: Int) throws -> [InspectorRow] {
    var rows: [InspectorRow] = []
    for command in commands { rows.append(command.row) }
    // The first round only fills the page cache.
    for round in 0...rounds {
      for (number, command) in commands.enumerated() {
        let run = try Program(path: program, arguments: command.arguments).run()
        let elapsed = Clock.now() - run.began
        guard run.status == 0, !run.output.isEmpty else {
          throw BenchmarkError.failed("\(command.row.meaning): exit status \(run.status) \(run.complaint.firstLine)")
        }
        if round > 0 { rows[number].samples.append(Double(elapsed) / 1_000_000) }
      }
    }
    return rows
  }
}
