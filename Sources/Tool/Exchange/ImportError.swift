/// The reason why a file was not imported.
package enum ImportError: Error, Equatable {
  /// A line of a file.
  package struct Place: Equatable, Sendable {
    package let file: String
    package let line: Int

    package init(file: String, line: Int) { (self.file, self.line) = (file, line) }
  }

  /// The file cannot be read.
  case unreadable(String)
  /// The file does not begin as an export does.
  case notAnExport(String)
  /// The version of the format is unknown.
  case newerVersion(String, Int)
  /// The entities in the header cannot be used.
  case invalidHeader(Place, reason: String)
  /// The line is longer than this many bytes.
  case tooLong(Place, limit: Int)
  /// The line has bytes that are no text.
  case invalidUTF8(Place)
  /// The line is no JSON.
  case notJSON(Place, reason: String, byte: Int)
  /// The line is no row of CSV.
  case notCSV(Place, reason: String)
  /// The line is JSON, but no object and no blob.
  case notAnObject(Place, reason: String)
  /// The file lacks its last line.
  case truncated(String)
  /// The store has no such entity.
  case unknownEntity(Place, String, known: [String])
  /// The entity has no such attribute or relationship.
  case unknownProperty(Place, String, entity: String, known: [String])
  /// The property cannot hold the value.
  case wrongValue(Place, property: String, expected: String, found: String)
  /// The file has an object twice.
  case duplicate(Place, String, first: Int)
  /// Neither the file nor the store has the object of a reference.
  case missingObject(Place, property: String, String)
  /// Neither the file nor the store has the bytes of a blob.
  case missingBlob(Place, property: String, String)
  /// The bytes of a blob are not the ones that its name promises.
  case damagedBlob(Place, String)
  /// The table has no first row.
  case noRows(String)
  /// A row of CSV needs an entity.
  case needsEntity(String)
  /// A new store needs the entities of an export in JSON.
  case needsStore(String)
  /// An exported draft needs the store that it was exported from.
  case draftNeedsStore(String)
  /// An exported draft is one change, so a part of it cannot be imported.
  case draftIsWhole(String)
  /// The store has other values than an exported draft was based on. The property is `nil` if the object is missing.
  case changedSince(Place, String, property: String?)
  /// The save broke rules of the store.
  case refused([Place], reason: String, saved: Int)
  /// The save of the objects from one line to another failed.
  case unsaved(first: Place, last: Place, reason: String, saved: Int)

  /// The same failure of an import whose new store is removed.
  var withoutSaved: ImportError {
    switch self {
    case .refused(let places, let reason, _): .refused(places, reason: reason, saved: 0)
    case .unsaved(let first, let last, let reason, _): .unsaved(first: first, last: last, reason: reason, saved: 0)
    default: self
    }
  }
}

extension ImportError: CustomStringConvertible {
  /// The failure with its place, its cause, and the next step.
  package var description: String {
    switch self {
    case .unreadable(let path): "\(Self.name(path)) cannot be read. Check its path and permissions."
    case .notAnExport(let path):
      "\(Self.name(path)) does not begin with the header of an export. Import a file of 'reprise export', or pass "
        + "'--format csv'."
    case .newerVersion(let path, let version):
      "\(Self.name(path)) has version \(version) of the format, and this command knows version "
        + "\(ExportHeader.version). Use a newer command."
    case .invalidHeader(let place, let reason):
      "\(place): the header cannot be used: \(reason). Export the store again."
    case .tooLong(let place, let limit):
      "\(place) is longer than \(limit) bytes. Put each object on a line, or keep large values in blobs."
    case .invalidUTF8(let place): "\(place) is not UTF-8. Convert the file to UTF-8."
    case .notJSON(let place, let reason, let byte):
      "\(place), byte \(byte): this is not JSON: \(reason). Correct the line, or export again."
    case .notCSV(let place, let reason): "\(place): this is not a row of the table: \(reason). Correct the row."
    case .notAnObject(let place, let reason): "\(place): \(reason). Correct the line, or export again."
    case .truncated(let path):
      "\(Self.name(path)) has no last line \(ExportHeader.end.line), so its end may be missing. Export again. If the "
        + "file is complete, add this line."
    case .unknownEntity(let place, let name, let known):
      "\(place): the store has no entity '\(PlainText.line(name))'. It has: \(Self.list(known)). Remove the line, or "
        + "import into a store with this entity."
    case .unknownProperty(let place, let name, let entity, let known):
      "\(place): \(PlainText.line(entity)) has no property '\(PlainText.line(name))'. It has: \(Self.list(known)). "
        + "Remove the value, or correct the name."
    case .wrongValue(let place, let property, let expected, let found):
      "\(place): '\(PlainText.line(property))' must be \(expected), but it is \(found). Correct the value."
    case .duplicate(let place, let id, let first):
      "\(place): \(PlainText.line(id)) is in line \(first) already. Remove one of the two lines."
    case .missingObject(let place, let property, let id):
      "\(place): '\(PlainText.line(property))' refers to \(PlainText.line(id)), but neither the file nor the store has "
        + "this object. Add the object, or remove the reference."
    case .missingBlob(let place, let property, let name):
      "\(place): '\(PlainText.line(property))' is \(name), but neither the file nor the store has its bytes. Import "
        + "an export in JSON, which has the bytes of blobs."
    case .damagedBlob(let place, let name):
      "\(place): the bytes of \(name) do not have this length and digest. Export the store again."
    case .noRows(let path):
      "\(Self.name(path)) has no first row. Begin it with 'id' and the names of properties."
    case .needsEntity(let path):
      "\(Self.name(path)) has the objects of one entity, but their entity is not known. Pass it with '--entity'."
    case .needsStore(let path):
      "There is no store at \(PlainText.line(path)), and a table has no entities to make one. Import a file of "
        + "'reprise export --format jsonl' first."
    case .draftNeedsStore(let path):
      "There is no store at \(PlainText.line(path)), and an exported draft has only changes. Import it into a store "
        + "with the objects that it changes."
    case .draftIsWhole(let path):
      "\(Self.name(path)) is an exported draft, and a draft is imported as a whole. Leave out '--entity'."
    case .changedSince(let place, let object, let property):
      "\(place): \(property.map { "'\(PlainText.line($0))' of " } ?? "")\(PlainText.line(object)) has changed since "
        + "the draft began. The import changed nothing. Remove the value or the line, or correct 'old' to overwrite "
        + "the later value."
    case .refused(let places, let reason, let saved):
      (places.isEmpty ? "" : "\(places.prefix(3).map(\.description).joined(separator: "; ")): ")
        + PlainText.line(reason)
        + (saved == 0
          ? " The import changed nothing."
          : " \(saved) objects of earlier lines are in the store. Correct the file, and import it again.")
    case .unsaved(let first, let last, let reason, let saved):
      "\(first)\(first == last ? "" : " to \(last)"): \(PlainText.line(reason))"
        + (saved == 0
          ? " The import changed nothing." : " \(saved) objects of earlier lines are in the store.")
        + " Remove the cause, and import the file again."
    }
  }

  fileprivate static func name(_ path: String) -> String {
    PlainText.line(path.split(separator: "/").last.map(String.init) ?? path)
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.map(PlainText.line).joined(separator: ", ")
  }
}

extension ImportError.Place: CustomStringConvertible {
  package var description: String { "\(ImportError.name(file)), line \(line)" }
}
