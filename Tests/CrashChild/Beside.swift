import RepriseEventStore
import RepriseObjectGraph
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A process that uses a store while another one, which has it as well, is stopped.
enum Beside {
  private static func options(_ arguments: Arguments) -> StoreOptions {
    var options = RepriseCrashChild.options()
    options.writerTimeout = arguments.number("limit", options.writerTimeout)
    return options
  }

  /// Opens the store, and says how that went.
  static func open(_ arguments: Arguments) async throws {
    var options = options(arguments)
    let run = OpeningRun()
    options.run = run
    say("opens")
    if arguments["cancels"] == "yes" {
      _ = SystemThread.start {
        usleep(50_000)
        run.cancel()
      }
    }
    do throws(StoreError) {
      _ = try Stopping.open(arguments, options)
      say("opened")
    } catch {
      say("refused \(error.name) \(error)")
    }
  }

  /// Opens the store from the main actor, which has something else to do meanwhile, and cancels that.
  @MainActor static func openFromTheMainActor(_ path: String) async throws {
    let opening = Task { try await Store.open(path, for: schema) }
    try await Task.sleep(nanoseconds: 50_000_000)
    say("free")
    opening.cancel()
    do {
      _ = try await opening.value
      say("opened")
    } catch {
      say("refused \(error)")
    }
  }

  /// Makes a context with a draft that another process has left, until it succeeds.
  static func take(_ arguments: Arguments) async throws {
    let store = try Stopping.open(arguments, options(arguments))
    while true {
      do {
        let context = try RootContext(store, draft: "desk", isolation: nil)
        say("took \(context.changes.inserted.count)")
        break
      } catch DraftError.store(let error) {
        say("refused \(error.name) \(error)")
      }
    }
  }

  /// Saves much at once, and says how each save went.
  static func saveAtOnce(_ arguments: Arguments) async throws {
    let store = try Store.openNow(arguments.path, for: schema, options(arguments))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<arguments.number("saves") {
        group.addTask {
          let context = RootContext(store, isolation: nil)
          context.insert(Entry(stamp: number, previous: 0))
          do {
            try await context.save()
            say("saved")
          } catch {
            say("refused \(error)")
          }
        }
      }
    }
    say("done")
  }

  /// Saves until it succeeds, and says how each try went.
  static func save(_ arguments: Arguments) async throws {
    let store = try Store.openNow(arguments.path, for: schema, options(arguments))
    let context = RootContext(store, isolation: nil)
    let entry = context.insert(Entry(stamp: 2, previous: 0))
    let before = store.log.head
    say("opened")
    // Of a task that is cancelled already, as one that saves when its screen goes.
    if arguments["cancels"] == "yes" { withUnsafeCurrentTask { $0?.cancel() } }
    while true {
      if !context.hasChanges { problem("the changes are gone") }
      if entry.stamp != 2 { problem("the object is gone") }
      do {
        let position = try await context.save("Beside")
        say("saved \(position.number - before.number)")
        break
      } catch is CancellationError {
        say("cancelled")
      } catch SaveError.store(let error) {
        say("refused \(error.name) \(error)")
      }
    }
    try await store.close()
  }
}
