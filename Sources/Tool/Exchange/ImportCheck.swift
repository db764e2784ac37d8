import RepriseCore
import RepriseObjectModel

/// The numbers of objects of an import.
package struct ImportCounts: Encodable, Equatable, Sendable {
  package internal(set) var inserted = 0
  package internal(set) var updated = 0
  package internal(set) var unchanged = 0
  /// Only an exported draft deletes objects.
  package internal(set) var deleted = 0
  package internal(set) var blobs = 0
  package internal(set) var transactions = 0
  /// The entities with derived attributes among the changed objects. Programs compute these attributes again.
  package internal(set) var derived: [String] = []

  /// Whether the import would change anything.
  package var isEmpty: Bool { inserted + updated + deleted == 0 }
}

/// The first reading of a file, which finds all mistakes that need no save.
@MainActor
struct ImportCheck {
  private(set) var counts = ImportCounts()
  /// The blobs whose bytes the file has.
  private(set) var blobs: Set<Blob> = []
  private var places: [AnyObjectID: Row] = [:]
  /// The files of the import, in their order.
  private var files: [String] = []

  /// A line of a file, in 8 bytes.
  private struct Row: Hashable {
    let file: UInt32
    let line: UInt32
  }

  /// - Parameter progress: Gets the part of the file that is read, from 0 to 1.
  init(_ reader: any ImportReader, into store: Store, _ progress: (Double) -> Void) async throws {
    let context = RootContext(store)
    var missing: [AnyObjectID: (place: ImportError.Place, property: String)] = [:]
    var missingBlobs: [Blob: (place: ImportError.Place, property: String)] = [:]
    var derived: Set<String> = []
    while let part = try reader.next() {
      switch part {
      case .piece(let piece): blobs.insert(piece.blob)
      case .object(let object):
        if files.last != object.place.file { files.append(object.place.file) }
        if places.count.isMultiple(of: 256) {
          try Task.checkCancellation()
          progress(reader.fraction)
        }
        let row = Row(file: UInt32(files.count - 1), line: UInt32(clamping: object.place.line))
        if let first = places.updateValue(row, forKey: object.id) {
          throw ImportError.duplicate(object.place, object.id.description, first: Int(first.line))
        }
        for (property, value) in object.values {
          if let target = value.reference, places[target] == nil, missing[target] == nil {
            missing[target] = (object.place, property.name)
          }
          if let blob = value.blob, blob.byteCount > 0, missingBlobs[blob] == nil {
            missingBlobs[blob] = (object.place, property.name)
          }
        }
        for (list, members) in object.members {
          for target in members where places[target] == nil && missing[target] == nil {
            missing[target] = (object.place, list.name)
          }
        }
        if try count(object, in: context), object.layout.derives { derived.insert(object.layout.entity.name) }
      }
    }
    counts.blobs = blobs.count
    counts.derived = derived.sorted()
    for (id, use) in missing.sorted(by: { $0.value.place.line < $1.value.place.line })
    where try places[id] == nil && context.find(id) == nil {
      throw ImportError.missingObject(use.place, property: use.property, id.description)
    }
    for (blob, use) in missingBlobs.sorted(by: { $0.value.place.line < $1.value.place.line })
    where !blobs.contains(blob) {
      do { _ = try await blob.bytes(0..<1, in: store) } catch BlobError.missing {
        throw ImportError.missingBlob(use.place, property: use.property, ExchangeValue.json(.blob(blob)).text ?? "")
      }
    }
  }

  /// Counts the object. Returns whether the import will change it.
  private mutating func count(_ object: ImportedObject, in context: RootContext) throws -> Bool {
    guard let model = try context.find(object.id) else {
      counts.inserted += 1
      return true
    }
    let isSame =
      try object.values.allSatisfy { try model[$0.property.name].isIdentical(to: $0.value) }
      && object.members.allSatisfy { list, members in
        try ExchangeLayout.members(list, of: model) == (list.isOrdered ? members : members.sorted())
      }
    if isSame { counts.unchanged += 1 } else { counts.updated += 1 }
    return !isSame
  }

  /// The lines of the objects that a save refused.
  func places(of refusal: SaveRefusal) -> [ImportError.Place] {
    let objects =
      refusal.conflicts.map(\.object) + refusal.violations.map(\.object) + refusal.invalidValues.map(\.object)
    return Set(objects.compactMap { places[$0] }).sorted { ($0.file, $0.line) < ($1.file, $1.line) }.map { row in
      ImportError.Place(file: files[Int(row.file)], line: Int(row.line))
    }
  }
}
