import RepriseCommands
import Workload

let main = Bench.now()
await RepriseWorker<Item>.run("reprise-worker", main: main)
