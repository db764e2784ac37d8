import Foundation
import Workload

let main = Bench.now()
do {
  guard let arguments = Arguments() else { throw BenchmarkError("usage: grdb-worker COMMAND STORE [name=value]…") }
  try Commands.run(arguments, main: main)
} catch {
  WorkerExit.fail("grdb-worker", "\(error)")
}
WorkerExit.end()
