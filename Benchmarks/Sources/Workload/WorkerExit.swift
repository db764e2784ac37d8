/// What the exit status of a worker tells the harness.
public enum WorkerExit {
  /// The worker has no such command: its peer has no counterpart for that row.
  public static let unsupported: Int32 = 64
}
