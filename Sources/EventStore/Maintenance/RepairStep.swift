/// The next step after a finding of a verification.
enum RepairStep: Sendable {
  /// The finding names its own step.
  case named
  /// To change the object.
  case change
  /// To rebuild the store from its log.
  case rebuild
  /// To salvage the store. No saved value is damaged.
  case salvage
  /// To restore a backup, or to salvage the store without one.
  case backup
}

extension StoreFinding {
  /// - Parameter isCut: Whether the log lacks its beginning. Then it cannot make the objects.
  func step(isCut: Bool) -> RepairStep {
    switch self {
    case .otherLog, .keptOfOtherLog, .keptOther, .keptBeforeBeginning, .keptAfterEnd, .failedProjection, .journal:
      .named
    case .brokenRule: .change
    case .table(let table, _), .row(let table, _, _), .longRow(let table, _, _), .unreadableKey(let table):
      switch table {
      case "meta", "indexes", "projections": .rebuild
      case "objects", "values": isCut ? .backup : .rebuild
      case "drafts", "archives", "journals", "afterimages": .salvage
      default: .backup
      }
    case .record, .otherRecord, .recordNotInLog, .missingRecord, .longValue, .longValueRows:
      isCut ? .backup : .rebuild
    case .unreadableSchema, .otherSchema, .otherReplica, .nameCount, .name, .clock, .greatestID, .sortOrder,
      .localeOrder, .strayMigration, .unreadEntry, .keyframe, .count, .unreadableCount, .index, .missingIndexRow,
      .indexRows, .history, .strayIndex, .strayLevel, .sharedProjectionNumber, .strayProjectionRows, .projectionAhead,
      .projectionKeys, .otherProjectionRows, .recordedEnd, .unsavedTransactions:
      .rebuild
    case .missingUnusedBlob, .strayChunks, .chunksAfterEnd: .salvage
    // The safe step.
    default: .backup
    }
  }
}
