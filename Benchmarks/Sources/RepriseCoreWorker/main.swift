import RepriseCommands
import Workload

let main = Bench.now()
await RepriseWorker<Item>.run("reprise-core-worker", main: main)
