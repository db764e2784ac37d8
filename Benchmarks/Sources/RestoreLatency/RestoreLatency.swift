import ArgumentParser

/// How long a killed program takes to be back, and what else its store costs, side by side with its peers.
@main
struct RestoreLatency: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore-latency",
    abstract: "Measures Reprise, GRDB and bare LMDB at the same work, in one interleaved run.")

  mutating func run() throws {}
}
