import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import Reprise
import ServiceLifecycle

/// Serves the planner until SIGTERM or Ctrl-C.
@main struct PlannerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "planner", abstract: "A planner in the browser, whose windows survive each kill of the server.")

  @Argument(help: "The folder of the store. It is created if there is none.")
  var store: String

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen on.")
  var port = 8080

  @Option(help: "How many seconds to wait for the port, while another process still has it.")
  var wait = 10

  @Option(help: "After how many seconds without a page a window sleeps.")
  var sleepAfter = 300

  @Option(help: "After how many days without a page a window is removed. Its unsaved edits stay.")
  var expireAfter = 30

  @Option(help: "How often to look for windows without a page, in seconds.")
  var checkEvery = 60

  @Option(help: "How often to look for windows to remove, in seconds.")
  var expireEvery = 3_600

  func run() async throws {
    let logger = Logger(label: "planner")
    let store = try await PlannerStore.open(store)
    for problem in store.drafts.journalProblems { logger.warning("\(problem)") }
    let windows = await Windows(store, logger: logger)
    let housekeeping = Task { try await houseKeeping(windows, logger) }
    try await serve(windows, store, logger)
    housekeeping.cancel()
    try await store.close()
  }

  private func serve(_ windows: Windows, _ store: Store, _ logger: Logger) async throws {
    let router = PlannerRoutes(windows: windows, store: store).router()
    let deadline = ContinuousClock.now + .seconds(wait)
    while true {
      let application = Application(
        router: router, configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
        onServerRunning: { channel in
          // Tests and scripts wait for this line.
          let line = "planner: http://\(host):\(channel.localAddress?.port ?? 0)/\n"
          try? FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
        }, logger: logger)
      // The last service ends first.
      var services = ServiceGroupConfiguration(
        services: [application, WindowService(windows: windows)], gracefulShutdownSignals: [.sigterm, .sigint],
        logger: logger)
      // A connection may hang, for example one to a phone without a network.
      services.maximumGracefulShutdownDuration = .seconds(2)
      do {
        return try await ServiceGroup(configuration: services).run()
      } catch {
        if await windows.isDraining { return logger.warning("A connection did not end by itself: \(error)") }
        // The process that this one replaces is ending.
        guard (error as? IOError)?.errnoCode == EADDRINUSE, ContinuousClock.now < deadline else { throw error }
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  private func houseKeeping(_ windows: Windows, _ logger: Logger) async throws {
    var nextExpiry = ContinuousClock.now
    while true {
      try await Task.sleep(for: .seconds(checkEvery))
      await windows.ping()
      await windows.sleepWhereIdle(for: .seconds(sleepAfter))
      if ContinuousClock.now < nextExpiry { continue }
      nextExpiry = .now + .seconds(expireEvery)
      let moment = Int64((Date.now.timeIntervalSince1970 - Double(expireAfter) * 86_400) * 1_000_000)
      do { try await windows.expire(before: moment) } catch { logger.error("\(error)") }
    }
  }
}
