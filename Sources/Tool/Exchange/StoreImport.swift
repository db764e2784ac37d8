import RepriseCore
import RepriseObjectModel

/// Inserts and updates the objects of a file, by their IDs.
///
/// The whole file is checked before anything is saved. A file with at most ``batchSize`` changes and ``batchBytes`` of
/// texts is one transaction. A longer file has several, and the import can be repeated: objects that are equal already
/// do not change.
///
/// Memory holds one transaction, and about 40 bytes for each object of the file.
@MainActor
struct StoreImport {
  let store: Store
  let author: String?
  /// The name of each transaction.
  let name: String
  /// The most changes in a transaction. A save may have 100,000.
  let batchSize: Int
  /// A transaction ends when its texts and other long values have this many bytes.
  let batchBytes: Int
  /// Opens the file at its beginning.
  let open: () throws -> any ImportReader
  let progress: (Double) -> Void

  private func forEachObject(_ body: (ImportedObject) async throws -> Void) async throws {
    let reader = try open()
    while let part = try reader.next() {
      try Task.checkCancellation()
      if case .object(let object) = part { try await body(object) }
    }
  }

  func run(_ check: ImportCheck) async throws -> ImportCounts {
    var counts = check.counts
    if !check.blobs.isEmpty { try await BlobImport.run(open(), into: store) }
    var batch = ImportBatch(store, author: author, name: name, check: check)
    // A second pass may follow, with all objects again.
    let total = Double(max(1, 2 * (counts.inserted + counts.updated + counts.unchanged)))
    var done = 0
    func count() {
      done += 1
      if done.isMultiple(of: 256) { progress(Double(done) / total) }
    }
    try await forEachObject { object in
      count()
      try batch.insert(object)
      if batch.weight >= batchSize || batch.byteCount >= batchBytes { try await batch.save() }
    }
    if batch.needsSecondPass {
      try await forEachObject { object in
        count()
        if batch.weight > 0, batch.weight + object.weight > batchSize { try await batch.save() }
        try batch.relate(object)
      }
    }
    try await batch.save()
    counts.transactions = batch.transactions
    return counts
  }
}

/// The changes of one transaction of an import.
@MainActor
struct ImportBatch {
  private let store: Store
  private let author: String?
  private let name: String
  private let check: ImportCheck
  private var context: RootContext
  private(set) var weight = 0
  private(set) var byteCount = 0
  /// The lines of the first and the last changed object.
  private var places: (first: ImportError.Place, last: ImportError.Place)?
  private var saved = 0
  private var objects = 0
  private(set) var transactions = 0
  /// Whether references or lists are left for a second pass, when all objects exist.
  private(set) var needsSecondPass = false

  init(_ store: Store, author: String?, name: String, check: ImportCheck) {
    (self.store, self.author, self.name, self.check) = (store, author, name, check)
    context = RootContext(store, author: author)
  }

  /// Inserts the object, or assigns the values that differ. References to later objects are left out.
  mutating func insert(_ object: ImportedObject) throws {
    let found = try context.find(object.id)
    let model = found ?? object.layout.entity.makeObject(ObjectStorage(object.layout.entity, uuid: object.id.uuid))
    var isChanged = found == nil
    for (property, value) in object.values where property.kind != nil {
      // A derived attribute is assigned here, too. Its new value may be part of a unique rule.
      if model._storage.value(property.slot).isIdentical(to: value) { continue }
      model._storage.assign(value, at: property.slot)
      isChanged = true
    }
    if found == nil { insert(model) }
    if !object.members.isEmpty { needsSecondPass = true }
    if try assignReferences(of: object, to: model) { isChanged = true }
    if isChanged { note(object, weight: 1, byteCount: object.byteCount) }
    objects += 1
  }

  private mutating func note(_ object: ImportedObject, weight: Int, byteCount: Int = 0) {
    self.weight += weight
    self.byteCount += byteCount
    places = (places?.first ?? object.place, object.place)
  }

  private func insert<Model: PersistentModel>(_ model: Model) { context.insert(model) }

  /// Returns whether any reference differed.
  private mutating func assignReferences(of object: ImportedObject, to model: any PersistentModel) throws -> Bool {
    var isChanged = false
    for (property, value) in object.values where property.kind == nil {
      if try model[property.name] == value { continue }
      if let target = value.reference, try context.find(target) == nil {
        needsSecondPass = true
      } else {
        try model.set(property.name, to: value)
        isChanged = true
      }
    }
    return isChanged
  }

  /// Assigns the references and members of an object, which all exist now.
  mutating func relate(_ object: ImportedObject) throws {
    guard object.values.contains(where: { $0.property.kind == nil }) || !object.members.isEmpty,
      let model = try context.find(object.id)
    else { return }
    if try assignReferences(of: object, to: model) { note(object, weight: 1) }
    for (list, members) in object.members {
      let present = try ExchangeLayout.members(list, of: model)
      if present == (list.isOrdered ? members : members.sorted()) { continue }
      try model.setMembers(of: list.name, to: members)
      note(object, weight: members.count)
    }
  }

  mutating func save() async throws {
    defer { (weight, byteCount, places) = (0, 0, nil) }
    guard context.hasChanges else { return }
    do {
      try await context.save(name)
    } catch SaveError.refused(let refusal) {
      throw ImportError.refused(check.places(of: refusal), reason: Self.reason(refusal), saved: saved)
    } catch let error as SaveError {
      guard let places else { throw error }
      throw ImportError.unsaved(first: places.first, last: places.last, reason: CommandWords.of(error), saved: saved)
    }
    transactions += 1
    saved = objects
    // A new context has no undo steps.
    context = RootContext(store, author: author)
  }

  static func reason(_ refusal: SaveRefusal) -> String {
    let reasons =
      refusal.conflicts.map(\.description) + refusal.violations.map(\.description)
      + refusal.invalidValues.map(\.description)
    return reasons.prefix(3).joined(separator: "; ") + (reasons.count > 3 ? "; …." : ".")
  }
}
