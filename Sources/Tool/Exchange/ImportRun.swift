import Foundation
import RepriseCore
import RepriseDynamic
import RepriseObjectModel

/// An import of a file into a store, or into a new store with the entities of the file.
package struct ImportRun {
  package var format: StoreExport.Format?
  /// The name of the only entity to import.
  package var entity: String?
  package var author: String?
  /// Whether to count only.
  package var isTrial = false
  /// The most changes in a transaction.
  package var batchSize = 50_000
  /// A transaction ends when its texts and other long values have this many bytes.
  package var batchBytes = 64_000_000
  /// Whether to go on. Gets the numbers before anything is saved, if the store was there before.
  package var confirm: @MainActor (ImportCounts) throws -> Bool = { _ in true }
  /// Gets the part of the step that is finished, from 0 to 1.
  package var progress: @MainActor (ImportStep, Double) -> Void = { _, _ in }

  package init() {}

  /// Imports the file. `nil` if the user does not want to.
  @MainActor package func run(_ file: String, into path: String) async throws -> ImportCounts? {
    if FileManager.default.fileExists(atPath: path + "/data.mdb") {
      let store = try await Store.open(inspecting: path, editing: !isTrial)
      return try await Self.closing(store) { try await run(file, into: store, isNew: false) }
    }
    guard form(of: file) == .jsonl else { throw ImportError.needsStore(path) }
    if try DraftReader.isDraft(file) { throw ImportError.draftNeedsStore(path) }
    let schema = EntityDescription.schema(try JSONImport.header(file).entities)
    guard let (part, isWithin) = Self.part(of: isTrial ? NSTemporaryDirectory() + "reprise-import" : path) else {
      // Throws the reason, or goes on with a store that a killed process began to make.
      let store = try await Store.open(path, for: schema)
      return try await Self.closing(store) { try await run(file, into: store, isNew: true) }
    }
    // An unpublished part removes itself at the end of its life.
    defer { withExtendedLifetime(part) {} }
    let store = try await Store.open(part.path, for: schema)
    do {
      let counts = try await Self.closing(store) { try await run(file, into: store, isNew: true) }
      if !isTrial, !(isWithin ? Self.fill(path, from: part.path) : part.publish()) {
        throw ToolError.copyExists(at: path)
      }
      return counts
    } catch let error as ImportError { throw error.withoutSaved }
  }

  /// A directory for a new store until it is complete, because a half store would look like an import. An empty
  /// directory may be a mounted disk, so its part is within. `nil` if the store cannot be made there.
  private static func part(of path: String) -> (UnfinishedPart, isWithin: Bool)? {
    var status = stat()
    if lstat(path, &status) != 0 { return UnfinishedPart(of: path, .directory).map { ($0, false) } }
    let inner = path + "/store"
    UnfinishedPart.removeAbandoned(of: inner)
    guard (try? FileManager.default.contentsOfDirectory(atPath: path)) == [] else { return nil }
    return UnfinishedPart(of: inner, .directory).map { ($0, true) }
  }

  /// Moves the files of a store to an empty directory. Without the data, which come last, the files are no store.
  private static func fill(_ path: String, from part: String) -> Bool {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: part) else { return false }
    for name in names.filter({ $0 != "data.mdb" }) + ["data.mdb"] {
      if rename("\(part)/\(name)", "\(path)/\(name)") != 0 { return false }
    }
    return true
  }

  @MainActor private static func closing<Result>(
    _ store: Store, _ body: @MainActor () async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body()
      try await store.close()
      return result
    } catch {
      try? await store.close()
      throw error
    }
  }

  @MainActor private func run(_ file: String, into store: Store, isNew: Bool) async throws -> ImportCounts? {
    let name = "Import \(file.split(separator: "/").last ?? "")"
    if form(of: file) == .jsonl, try DraftReader.isDraft(file) {
      if entity != nil { throw ImportError.draftIsWhole(file) }
      let draft = try await DraftImport(file, into: store, author: author)
      if isTrial { return draft.counts }
      guard try draft.counts.isEmpty || confirm(draft.counts) else { return nil }
      return try await draft.save(name)
    }
    let open = try reader(file, store)
    let check = try await ImportCheck(open(), into: store) { progress(.checking, $0) }
    if isTrial { return check.counts }
    guard try isNew || check.counts.isEmpty || confirm(check.counts) else { return nil }
    let run = StoreImport(
      store: store, author: author, name: name, batchSize: batchSize, batchBytes: batchBytes,
      open: open, progress: { progress(.saving, $0) })
    return try await run.run(check)
  }

  // MARK: Files

  private func form(of file: String) -> StoreExport.Format {
    var isDirectory: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory)
    return format ?? (file.lowercased().hasSuffix(".csv") || isThere && isDirectory.boolValue ? .csv : .jsonl)
  }

  private func reader(_ file: String, _ store: Store) throws -> () throws -> any ImportReader {
    let wanted = try entity.map { try Places(store).entity($0) }
    guard form(of: file) == .csv else { return { try JSONImport(file, into: store, entity: wanted) } }
    let tables = try tables(file, wanted, store)
    return { CSVImport(tables, into: store) }
  }

  /// The tables with their entities. The name of a table in a directory is the name of its entity.
  private func tables(_ file: String, _ wanted: Entity?, _ store: Store) throws -> [(path: String, entity: Entity)] {
    func entity(_ name: Substring) -> Entity? {
      store.entities.first { ExportFile.name(of: $0, .csv) == name }
    }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: file) else {
      guard FileManager.default.isReadableFile(atPath: file) else { throw ImportError.unreadable(file) }
      guard let entity = wanted ?? file.split(separator: "/").last.flatMap(entity) else {
        throw ImportError.needsEntity(file)
      }
      return [(file, entity)]
    }
    return try names.sorted().filter { $0.hasSuffix(".csv") }.compactMap { name in
      guard let entity = entity(name[...]) else { throw ImportError.needsEntity(name) }
      return wanted == nil || wanted === entity ? (file + "/" + name, entity) : nil
    }
  }
}
