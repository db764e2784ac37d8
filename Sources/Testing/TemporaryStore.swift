import RepriseCore
import Synchronization

/// A store in a folder of its own, for tests. The folder is removed with the last reference to this.
///
/// ```swift
/// let temporary = try await TemporaryStore(for: Item.self, Person.self)
/// let editor = try temporary.store.mainContext.makeChild(draft: "editor")
/// try editor.object(item.id).name = "Blue chair"
/// let again = try await temporary.relaunch()
/// // In `again` the draft "editor" has the new name.
/// ```
///
/// Nothing is flushed to the disk, which makes it fast; only a power cut could tell the difference.
public final class TemporaryStore: Sendable {
  /// The store as first opened. Relaunching does not change it.
  public let store: Store
  private let folder: TemporaryFolder
  private let schema: Schema
  private let options: StoreOptions
  private let launches: Mutex<Launches>

  private struct Launches {
    var count = 1
    var last: Store
  }

  /// Makes an empty store for these models.
  ///
  /// - Throws: `StoreError`: the models do not fit together, or the folder for temporary files cannot be written.
  public convenience init(for models: any PersistentModel.Type...) async throws {
    try await self.init(for: Schema(models))
  }

  /// Makes an empty store for these models.
  ///
  /// - Throws: `StoreError`: the models do not fit together, or the folder for temporary files cannot be written.
  public convenience init(for schema: Schema) async throws {
    try self.init(for: schema, journal: JournalOptions())
  }

  /// Makes an empty store for these models, for closures that cannot wait, such as the `makeSource` of a
  /// ``DataSourceConformance``.
  ///
  /// - Throws: `StoreError`: the models do not fit together, or the folder for temporary files cannot be written.
  public static func makeNow(for schema: Schema) throws -> TemporaryStore {
    try TemporaryStore(for: schema, journal: JournalOptions())
  }

  package init(for schema: Schema, journal: JournalOptions, windowBudget: Int? = nil) throws(StoreError) {
    folder = try TemporaryFolder()
    self.schema = schema
    var options = StoreOptions()
    options.isUnflushed = true
    // A process has room for 128 of the usual maps, and tests leave more stores than that open.
    options.mapSize = 1 << 36
    options.journal = journal
    if let windowBudget { options.windowBudget = windowBudget }
    self.options = options
    store = try Store.openNow(folder.path(1), for: schema, options)
    launches = Mutex(Launches(last: store))
  }

  /// Simulates a kill and a relaunch: copies the files as they are, closing nothing, and opens the copy as the same
  /// log. Called again, it continues from the store that it returned last.
  ///
  /// The kill comes once the journal has written the edits of all turns before this call, so that a test's result does
  /// not depend on its speed. A real kill may lose the last 250 ms of uncommitted edits. A store that was closed may be
  /// relaunched as well, as after `Store.erase` or `Store.compact`.
  ///
  /// Contexts of the previous store no longer affect the returned one. Costs the size of the files.
  ///
  /// - Throws: `StoreError`: the files cannot be copied, or the copy cannot be opened.
  public func relaunch() async throws -> Store {
    // Some changes reach the journal only at the end of the main actor's turn in which they were made.
    await Task { @MainActor in }.value
    return try await relaunch(losingTick: false)
  }

  /// As ``relaunch()``. With `losingTick` the kill comes before the journal wrote the last edits; with `rebuilding` the
  /// head is rebuilt from the log before the store is opened.
  package func relaunch(losingTick: Bool, rebuilding: Bool = false) async throws(StoreError) -> Store {
    let (last, number) = launches.withLock { launches in
      launches.count += 1
      return (launches.last, launches.count)
    }
    let (from, to) = (last.path, folder.path(number))
    try await last.betweenCommits { () throws(StoreError) in
      do throws(JournalError) {
        // A closed store has written everything.
        if !losingTick, !last.isClosed { try last.journal.write() }
      } catch {
        throw .journal(path: from, reason: error.description)
      }
      try TemporaryFolder.copyStore(from, to)
    }
    if rebuilding { try Store.rebuild(to, sliceSize: 256) }
    let next = try Store.openNow(to, for: schema, options)
    launches.withLock { $0.last = next }
    return next
  }
}
