import RepriseCore
import RepriseObjectModel

/// Saves the edits of an exported draft as one transaction.
///
/// An edit that the store has already is left out, so a draft can be imported again. If the store has neither the old
/// nor the new value of a property, the import changes nothing.
@MainActor
struct DraftImport {
  private let path: String
  private let store: Store
  private let context: RootContext
  private let changes: [DraftReader.Change]
  private(set) var counts = ImportCounts()

  init(_ path: String, into store: Store, author: String?) async throws {
    (self.path, self.store) = (path, store)
    let reader = try DraftReader(path, into: store)
    var blobs: Set<Blob> = []
    while let part = try reader.next() { if case .piece(let piece) = part { blobs.insert(piece.blob) } }
    changes = reader.changes
    context = RootContext(store, author: author ?? reader.author)
    counts.blobs = blobs.count
    let inserted = Set(changes.filter { $0.kind == .inserted }.map(\.new.id))
    for change in changes {
      try check(change, inserted)
      for (property, value) in change.new.values {
        guard let blob = value.blob, blob.byteCount > 0, !blobs.contains(blob) else { continue }
        do { _ = try await blob.bytes(0..<1, in: store) } catch BlobError.missing {
          throw ImportError.missingBlob(
            change.new.place, property: property.name, ExchangeValue.json(.blob(blob)).text ?? "")
        }
      }
    }
  }

  // MARK: Checking

  /// Counts the change. Throws if the store has other values than the base of the draft.
  private mutating func check(_ change: DraftReader.Change, _ inserted: Set<AnyObjectID>) throws {
    let (object, place) = (change.new.id, change.new.place)
    let targets =
      change.new.values.compactMap { property, value in value.reference.map { (property.name, $0) } }
      + change.members.flatMap { list in list.added.map { (list.name, $0) } }
    for (property, target) in targets where try !inserted.contains(target) && context.find(target) == nil {
      throw ImportError.missingObject(place, property: property, target.description)
    }
    guard let model = try context.find(object) else {
      switch change.kind {
      case .inserted: counts.inserted += 1
      case .deleted: counts.unchanged += 1
      case .updated: throw ImportError.changedSince(place, object.description, property: nil)
      }
      return
    }
    if change.kind == .deleted {
      for (property, old) in change.old.values where try !model[property.name].isIdentical(to: old) {
        throw ImportError.changedSince(place, object.description, property: property.name)
      }
      counts.deleted += 1
      return
    }
    var isChanged = try change.members.contains { list in
      let present = Set(try model.members(of: list.name))
      return list.added.contains { !present.contains($0) } || list.removed.contains(where: present.contains)
    }
    for (property, new) in change.new.values {
      let present = try model[property.name]
      if present.isIdentical(to: new) { continue }
      let old = change.old.values.first { $0.property.name == property.name }?.value ?? .null
      if change.kind == .inserted || !present.isIdentical(to: old) {
        throw ImportError.changedSince(place, object.description, property: property.name)
      }
      isChanged = true
    }
    if isChanged { counts.updated += 1 } else { counts.unchanged += 1 }
  }

  // MARK: Saving

  func save(_ name: String) async throws -> ImportCounts {
    var counts = counts
    if counts.blobs > 0 { try await BlobImport.run(DraftReader(path, into: store), into: store) }
    for change in changes where change.kind != .deleted {
      let (object, entity) = (change.new, change.new.layout.entity)
      let found = try context.find(object.id)
      let model = found ?? entity.makeObject(ObjectStorage(entity, uuid: object.id.uuid))
      for (property, value) in object.values
      where property.kind != nil && !model._storage.value(property.slot).isIdentical(to: value) {
        model._storage.assign(value, at: property.slot)
      }
      func insert<Model: PersistentModel>(_ model: Model) { context.insert(model) }
      if found == nil { insert(model) }
    }
    // All objects exist now.
    for change in changes where change.kind != .deleted {
      guard let model = try context.find(change.new.id) else { continue }
      for (property, value) in change.new.values where try property.kind == nil && model[property.name] != value {
        try model.set(property.name, to: value)
      }
      for list in change.members {
        for id in list.removed where try model.members(of: list.name).contains(id) {
          try model.remove(id, from: list.name)
        }
        for id in list.added where try !model.members(of: list.name).contains(id) {
          try model.insert(id, into: list.name)
        }
      }
    }
    func delete<Model: PersistentModel>(_ model: Model) { context.delete(model) }
    for change in changes where change.kind == .deleted {
      if let model = try context.find(change.new.id) { delete(model) }
    }
    guard context.hasChanges else { return counts }
    do {
      try await context.save(name)
    } catch SaveError.refused(let refusal) {
      throw ImportError.refused([], reason: ImportBatch.reason(refusal), saved: 0)
    }
    counts.transactions = 1
    return counts
  }
}
