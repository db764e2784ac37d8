import RepriseCore
import RepriseObjectModel

/// The objects of an entity as a table.
struct CSVExport {
  /// The name of the first column.
  static let id = "id"

  let layout: ExchangeLayout

  var heading: String { CSVText.row([Self.id] + layout.names) }

  func row(_ object: any PersistentModel) throws -> String {
    var cells: [CSVText.Cell] = ["\(object._storage.id.uuid)"]
    for property in layout.singles { cells.append(Self.cell(try object[property.name])) }
    for list in layout.lists {
      let members = try ExchangeLayout.members(list, of: object)
      cells.append(members.isEmpty ? nil : members.map { "\($0.uuid)" }.joined(separator: " "))
    }
    return CSVText.row(cells)
  }

  private static func cell(_ value: PropertyValue) -> CSVText.Cell {
    if case .reference(let id) = value { return "\(id.uuid)" }
    return switch ExchangeValue.json(value) {
    case .null: nil
    case .bool(let value): value ? "true" : "false"
    case .number(let text), .text(let text): text
    case .list, .members: nil
    }
  }
}
