import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Builds an index over existing objects, in slices. Each slice is a short commit, and leaves a state from which a
/// later one continues.
///
/// Objects are read in batches, whose rows are sorted and then written in order, so that a slice touches few pages.
/// Saves of other contexts in between, in any process and with any models, are read from the log
/// (``LoggedIndexChanges``). The schema does not have the index before it is ready. Until then, no other code reads or
/// writes its rows.
///
/// All slow work happens outside of the write transactions. A slice only writes.
final class SlicedIndexBuild {
  let environment: Environment
  let tables: StoreTables
  let logID: UniqueID
  let target: UnbuiltIndex
  let options: IndexingOptions
  private let isCancelled: () -> Bool
  var state: IndexBuildState?
  /// Whether ``state`` equals the state in the store, as far as this process knows.
  var isKnown = false
  var batch: IndexBatch?
  var logged: LoggedIndexChanges?
  /// How many rows a slice has, and how many objects are read in one snapshot, which keeps pages from being reused.
  var limit: Int
  var objectLimit: Int
  /// How long other writers waited for the last step, in nanoseconds.
  var held: UInt64 = 0
  /// The finished part, from 0 to 1.
  var progress = 0.0

  init(
    _ target: UnbuiltIndex, _ environment: Environment, _ tables: StoreTables, logID: UniqueID,
    _ options: IndexingOptions, unless isCancelled: @escaping () -> Bool = { false }
  ) {
    self.isCancelled = isCancelled
    self.environment = environment
    self.tables = tables
    self.logID = logID
    self.target = target
    self.options = options
    limit = options.rows
    objectLimit = options.objectsRead
  }

  var meta: MetaTable { MetaTable(tables.meta) }
  var log: LogTable { LogTable(tables.log) }

  struct Slice {
    let changes: IndexChanges
    let state: IndexBuildState
    let endsBatch: Bool
  }

  enum Work {
    /// The store has the index.
    case nothing
    /// Another process has finished the index, so the rows that were built here are useless.
    case remove(IndexBuildState)
    /// There is a reason to begin, or to begin again.
    case begin
    case beginAnew(IndexBuildState)
    /// Something was read.
    case reading
    case slice(Slice)
    /// All rows are written.
    case publish
  }

  /// Takes the next step. True if the index is ready.
  func step() throws(StoreError) -> Bool {
    held = 0
    do throws(StoreError) {
      switch try prepare() {
      case .nothing: return true
      case .remove(let state): try remove(state)
      case .begin: try begin()
      case .beginAnew(let state): try write(IndexBuildState(index: state.index, isClearing: true), insteadOf: state)
      case .reading: break
      case .slice(let slice): try write(slice)
      case .publish: return try publish()
      }
      return false
    } catch {
      // The state in memory may be ahead of the store.
      forget()
      throw error
    }
  }

  func forget() { (isKnown, batch, logged) = (false, nil, nil) }

  func read<Result>(_ body: (borrowing View) throws(StorageError) -> Result) throws(StoreError) -> Result {
    try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in try body(transaction.view) }
    }
  }

  func commit<Result>(
    _ body: (borrowing WriteTransaction) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let waiting = WakeUp.now()
    var begun = waiting
    defer { held = WakeUp.now() - begun }
    return try environment.write(unless: { _ in isCancelled() }) { (transaction) throws(StoreError) in
      begun = WakeUp.now()
      return try body(transaction)
    }
  }

  /// The index as the schema will have it.
  func described(_ schema: StoredSchema) -> (entity: StoredEntity, property: StoredProperty)? {
    guard let entity = schema.entity(number: target.entity), var property = entity.property(number: target.property)
    else { return nil }
    property.index = property.index ?? state?.index
    property.role = property.role.held(to: max(property.role.uniqueness, target.uniqueness))
    return (entity, property)
  }
}
