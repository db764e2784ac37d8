import Workload

// Only restores, as the library's own workers do that are measured at it.
let main = Bench.now()
guard let arguments = Arguments(), arguments.command == "restore" else {
  WorkerExit.fail("grdb-restore-worker", "usage: grdb-restore-worker restore STORE [usual=1]")
}
do {
  try Restoring(path: arguments.store, usual: arguments.number("usual", default: 0) == 1).once(main: main)
} catch {
  WorkerExit.fail("grdb-restore-worker", "\(error)")
}
WorkerExit.end()
