import RepriseCore
import RepriseObjectModel

/// Reads tables, each of the objects of an entity. The first row of a table has the names of the properties, and the
/// first column has the IDs.
final class CSVImport: ImportReader {
  private struct Table {
    let lines: LineReader
    let layout: ExchangeLayout
    let columns: [String]
  }

  private let store: Store
  private var files: [(path: String, entity: Entity)]
  private var table: Table?
  private let count: Int

  init(_ files: [(path: String, entity: Entity)], into store: Store) {
    (self.files, self.store, count) = (files.reversed(), store, files.count)
  }

  /// All tables count alike.
  var fraction: Double {
    let done = Double(count - files.count) - (table == nil ? 0 : 1)
    return (done + (table?.lines.fraction ?? 0)) / Double(max(1, count))
  }

  func next() throws -> ImportPart? {
    while true {
      if table == nil {
        guard let file = files.popLast() else { return nil }
        table = try Self.table(file.path, ExchangeLayout(file.entity, in: store))
      }
      if let table, let (cells, place) = try CSVText.row(table.lines) {
        return .object(try Self.object(cells, place, table))
      }
      table = nil
    }
  }

  private static func table(_ path: String, _ layout: ExchangeLayout) throws -> Table {
    let lines = try LineReader(path)
    guard let (names, place) = try CSVText.row(lines) else { throw ImportError.noRows(path) }
    guard names.first == CSVExport.id else {
      throw ImportError.notCSV(place, reason: "the first column must have the name '\(CSVExport.id)'")
    }
    let columns = try names.dropFirst().map { name in
      guard let name, layout.names.contains(name) else {
        throw ImportError.unknownProperty(place, name ?? "", entity: layout.entity.name, known: layout.names)
      }
      return name
    }
    if Set(columns).count < columns.count { throw ImportError.notCSV(place, reason: "two columns have one name") }
    return Table(lines: lines, layout: layout, columns: columns)
  }

  private static func object(
    _ cells: [CSVText.Cell], _ place: ImportError.Place, _ table: Table
  ) throws -> ImportedObject {
    guard cells.count == table.columns.count + 1 else {
      throw ImportError.notCSV(
        place, reason: "it has \(cells.count) cells, and the first row has \(table.columns.count + 1)")
    }
    guard let text = cells[0], let uuid = UniqueID(text) else {
      throw ImportError.wrongValue(
        place, property: CSVExport.id, expected: "a UUID",
        found: PlainText.cut(JSONText.text(cells[0] ?? "").line, to: 60))
    }
    var object = ImportedObject(AnyObjectID(table.layout.entity.interned, uuid), table.layout, at: place)
    for (name, cell) in zip(table.columns, cells.dropFirst()) { try object.add(name, json(cell, name, table.layout)) }
    return object
  }

  /// The cell as an export in JSON has the value.
  private static func json(_ cell: CSVText.Cell, _ name: String, _ layout: ExchangeLayout) -> JSONText {
    if let list = layout.list(name) {
      return .list((cell ?? "").split(separator: " ").map { .text("\(list.target.name)/\($0)") })
    }
    guard let cell, let property = layout.single(name) else { return .null }
    switch property.kind {
    case nil: return .text("\(property.target?.name ?? "")/\(cell)")
    case .bool?: return cell == "true" ? .bool(true) : cell == "false" ? .bool(false) : .text(cell)
    case .int?, .unsigned?, .double?, .date?:
      if case .number(let digits)? = try? JSONParser.parse(Array(cell.utf8)) { return .number(digits) }
      return .text(cell)
    case .string?, .bytes?, .uuid?, .blob?: return .text(cell)
    }
  }
}
