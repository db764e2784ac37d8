import ServiceLifecycle

/// Ends all windows when the process is asked to end, while the server still answers.
///
/// Another process can restore them then, even if a connection of this one hangs.
struct WindowService: Service {
  let windows: Windows

  func run() async throws {
    do { try await gracefulShutdown() } catch { return }
    await windows.drain()
  }
}
