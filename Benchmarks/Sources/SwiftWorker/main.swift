import CWorkload

// Written as a program with a main actor is, so that it loads what each such program loads.
@MainActor func restoreNothing() async {
  let main = workload_now()
  for stage in ["main", "open", "tree", "rows", "position", "draft", "ready"] { workload_put(stage, main) }
}

await restoreNothing()
workload_exit(0)
