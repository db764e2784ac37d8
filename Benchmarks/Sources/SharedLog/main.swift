import Foundation
import Reprise
import ReprisePostgreSQL
import RepriseSharing
import RepriseTesting

// Measures a shared log: `.ci/bench shared-log` starts a PostgreSQL primary and a synchronous standby, and runs this
// program with their connection text. The engine's share of each save is measured for the same save.

let arguments = CommandLine.arguments.dropFirst()
guard let connection = arguments.first else {
  print("usage: shared-log CONNECTION [quick]")
  exit(2)
}
let isQuick = arguments.contains("quick")

func rows() async throws {
  let servers = try Servers { PostgreSQLLog(connection) }
  let one = try await servers.open()
  let two = try await servers.open(from: one)
  try await SingleSaves(one, two).run(isQuick ? 100 : 1_000)
  try await Throughput(servers, one).run(seconds: isQuick ? 2 : 10)
  try await one.store.close()
  try await two.store.close()
  let log = MemoryLog()
  try await Following(try Servers { log.connection() }).run(transactions: isQuick ? 2_000 : 100_000)
}
try await rows()
