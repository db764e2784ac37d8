import CWorkload

/// What the exit status of a worker tells the harness, and the end of a worker.
public enum WorkerExit {
  /// The worker has no such command: its peer has no counterpart for that row.
  public static let unsupported: Int32 = 64

  /// Writes the output and ends the process as a kill would: nothing is closed, checkpointed or flushed.
  public static func end(_ status: Int32 = 0) -> Never { workload_exit(status) }

  /// Ends with a message for people.
  public static func fail(_ program: String, _ message: String) -> Never {
    workload_complain(program, message)
    workload_exit(1)
  }
}
