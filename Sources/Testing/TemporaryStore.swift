import RepriseCore
import Synchronization

/// A store in a separate temporary folder, for tests.
///
/// The folder is removed with the last reference to this object.
///
/// ```swift
/// let temporary = try await TemporaryStore(for: Item.self, Person.self)
/// let editor = try temporary.store.mainContext.makeChild(draft: "editor")
/// try editor.object(item.id).name = "Blue chair"
/// let again = try await temporary.relaunch()
/// // In `again` the draft "editor" has the new name.
/// ```
///
/// The store never flushes to the disk, which makes it fast. Only a power cut could show the difference.
public final class TemporaryStore: Sendable {
  /// The store as first opened.
  ///
  /// A relaunch does not change this property.
  public let store: Store
  private let folder: TemporaryFolder
  private let schema: Schema
  private let options: StoreOptions
  private let makeSharing: (@Sendable () -> any LogSharing)?
  private let launches: Mutex<Launches>

  private struct Launches {
    var count = 1
    var last: Store
  }

  /// Makes an empty store for these models.
  ///
  /// - Throws: `StoreError` if the models do not fit together, or if the folder for temporary files cannot be written.
  public convenience init(for models: any PersistentModel.Type...) async throws {
    try await self.init(for: Schema(models))
  }

  /// Makes an empty store for this schema.
  ///
  /// - Throws: `StoreError` if the models do not fit together, or if the folder for temporary files cannot be written.
  public convenience init(for schema: Schema) async throws {
    try self.init(for: schema, journal: JournalOptions())
  }

  /// Makes an empty store synchronously, for closures such as the `makeSource` of a ``DataSourceConformance``.
  ///
  /// - Throws: `StoreError` if the models do not fit together, or if the folder for temporary files cannot be written.
  public static func makeNow(for schema: Schema) throws -> TemporaryStore {
    try TemporaryStore(for: schema, journal: JournalOptions())
  }

  /// - Parameters:
  ///   - seed: A store to begin with. It is copied.
  ///   - makeSharing: The shared log for each launch. `nil` if the store has its log alone.
  package init(
    for schema: Schema, journal: JournalOptions, windowBudget: Int? = nil, from seed: String? = nil,
    sharing makeSharing: (@Sendable () -> any LogSharing)? = nil
  ) throws(StoreError) {
    folder = try TemporaryFolder()
    self.schema = schema
    var options = StoreOptions()
    options.isUnflushed = true
    // The address space of a process has room for 128 maps of the usual size, and tests leave more stores open.
    options.mapSize = 1 << 36
    options.journal = journal
    if let windowBudget { options.windowBudget = windowBudget }
    self.options = options
    self.makeSharing = makeSharing
    if let seed { try TemporaryFolder.copyStore(seed, folder.path(1)) }
    options.sharing = makeSharing?()
    store = try Store.openNow(folder.path(1), for: schema, options)
    launches = Mutex(Launches(last: store))
  }

  /// Simulates a kill and a relaunch: copies the files as they are, closes nothing, and opens the copy as the same log.
  ///
  /// A further call continues from the store that the last call returned. The store that was open before no longer
  /// affects the new one. Takes time in proportion to the size of the files.
  ///
  /// The simulated kill happens after the journal has written the edits of all earlier turns, so that tests do not
  /// depend on timing. A real kill may lose the uncommitted edits of the last 250 ms. You may also relaunch a closed
  /// store, for example after `StoreMaintenance.erase` or `StoreMaintenance.compact`.
  ///
  /// - Throws: `StoreError` if the files cannot be copied, or if the copy cannot be opened.
  public func relaunch() async throws -> Store {
    // Some changes reach the journal only at the end of their turn of the main actor.
    await Task { @MainActor in }.value
    return try await relaunch(losingTick: false)
  }

  /// As ``relaunch()``. With `losingTick`, the kill comes before the journal wrote the last edits. With `rebuilding`,
  /// the head is rebuilt from the log before the store is opened.
  package func relaunch(losingTick: Bool, rebuilding: Bool = false) async throws(StoreError) -> Store {
    let (last, number) = launches.withLock { launches in
      launches.count += 1
      return (launches.last, launches.count)
    }
    let (from, to) = (last.path, folder.path(number))
    try await last.writer.perform(in: last) { () throws(StoreError) in
      do throws(JournalError) {
        // A closed store has written everything.
        if !losingTick, !last.isClosed { try last.journal.write() }
      } catch {
        throw .journal(path: from, reason: error.description)
      }
      try TemporaryFolder.copyStore(from, to)
    }
    if rebuilding { try StoreMaintenance.rebuild(to, sliceSize: 256) }
    var options = options
    options.sharing = makeSharing?()
    let next = try Store.openNow(to, for: schema, options)
    launches.withLock { $0.last = next }
    return next
  }
}
