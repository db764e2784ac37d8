import Foundation
import RepriseLMDB
import RepriseObjectModel

@testable import RepriseEventStore

/// A store in a folder of its own, gone with the test.
final class LocaleStore {
  let path = NSTemporaryDirectory() + "reprise-locales-\(UUID().uuidString)"
  private(set) var store: Store
  private let indexing: IndexingOptions

  /// - Parameter atOnce: Up to so many objects have their indexes at once; those of more are built in slices.
  init(_ schema: Schema = Schema(Place.self), atOnce: Int = 2_000) throws {
    var indexing = IndexingOptions()
    indexing.atOnce = atOnce
    if atOnce == 0 { (indexing.rows, indexing.mostRows, indexing.objectsRead) = (3, 3, 2) }
    self.indexing = indexing
    store = try Self.open(path, schema, indexing)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  private static func open(_ path: String, _ schema: Schema, _ indexing: IndexingOptions) throws -> Store {
    var options = StoreOptions()
    options.isUnflushed = true
    options.indexing = indexing
    options.mapSize = 1 << 36
    return try Store.openNow(path, for: schema, options)
  }

  func reopen(_ schema: Schema = Schema(Place.self)) async throws {
    try await store.close()
    store = try Self.open(path, schema, indexing)
    try await store.waitForIndexes()
  }
}

extension Store {
  /// Leaves the indexes as a program with another version of ICU would: their rows are others, and say so.
  func sortAsAnotherICU(emptying isEmptying: Bool = true) throws {
    try environment.write { (transaction) throws(StorageError) in
      for entity in map.stored.entities {
        for property in entity.properties where !property.localeCollations.isEmpty {
          if isEmptying {
            try IndexBuilder(tables: tables).remove([property.index ?? 0], transaction)
          }
          for collation in property.localeCollations {
            let key = MetaKey.collator(of: collation)
            try MetaTable(tables.meta).put(key, MetaTable.bytes(UInt32(7)), transaction)
          }
        }
      }
    }
  }

  /// Makes the stored schema name a locale that no program knows.
  func nameUnknownLocale() throws {
    try environment.write { (transaction) throws(StorageError) in
      var schema = try MetaTable(tables.meta).schema(transaction.view)
      for entity in schema.entities.indices {
        for property in schema.entities[entity].properties.indices {
          let stored = schema.entities[entity].properties[property]
          guard !stored.localeCollations.isEmpty, case .columns(var columns, let uniqueness) = stored.role else {
            continue
          }
          for column in columns.indices where columns[column].collation.locale != .none {
            columns[column].collation = Collation(columns[column].collation.rules, locale: LocaleName("xx"))
          }
          schema.entities[entity].properties[property].role = .columns(columns, uniqueness: uniqueness)
        }
      }
      schema.revision += 1
      var appender = try TransactionAppender(
        tables, logID: logID, map: SchemaMap(map.schema, StoredSchema()), transaction.view)
      try appender.append(schema, transaction)
      try appender.finish(transaction)
    }
  }

  /// The versions that the store names, by collation.
  func recordedVersions() throws -> [String: UInt32?] {
    try environment.read { (transaction) throws(StorageError) -> [String: UInt32?] in
      var versions: [String: UInt32?] = [:]
      for collation in map.localeCollations {
        versions[collation.name] = try MetaTable(tables.meta).number(MetaKey.collator(of: collation), transaction.view)
      }
      return versions
    }
  }
}
