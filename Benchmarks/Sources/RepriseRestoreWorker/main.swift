import RepriseApp
import Workload

// Only restores, as a program does that is killed and started again: the other commands of `reprise-worker` would be
// loaded and relocated with it.
let main = Bench.now()
guard let arguments = Arguments(), arguments.command == "restore" else {
  WorkerExit.fail("reprise-restore-worker", "usage: reprise-restore-worker restore STORE")
}
do {
  try await Restoring<Item>(path: arguments.store).once(main: main)
} catch {
  WorkerExit.fail("reprise-restore-worker", "\(error)")
}
WorkerExit.end()
