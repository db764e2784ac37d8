import Foundation
import GRDB
import Workload

/// The tree of screens as an application archives it: one document of JSON in a row.
struct Archive: Codable {
  struct Node: Codable {
    let id: Int
    let parent: Int?
    let offset: Double
    let selection: Int64?
    let title: String
  }

  var nodes: [Node]
}

/// The edits of an editor that were not saved, as one document of JSON in a row. It has the new values only, where a
/// draft of Reprise has the old ones and the steps of undo as well.
struct Draft: Codable {
  enum Attribute: String, Codable {
    case name, serial, valueInDollars, notes
  }

  struct Edit: Codable {
    let id: Int64
    let attribute: Attribute
    var text: String?
    var number: Int?
  }

  var edits: [Edit]
}

/// A screen, made from its node.
final class Screen {
  let node: Archive.Node
  weak var parent: Screen?

  init(_ node: Archive.Node, parent: Screen?) {
    self.node = node
    self.parent = parent
  }
}

extension Archive {
  /// The screens by number; nodes stand behind their parents.
  func screens() -> [Screen] {
    var screens: [Screen] = []
    screens.reserveCapacity(nodes.count)
    for node in nodes { screens.append(Screen(node, parent: node.parent.map { screens[$0] })) }
    return screens
  }
}

extension Draft {
  /// The edits, laid over values.
  func applied<Values: ItemValues>(to items: [Values]) -> [Values] {
    var items = items
    var places: [Int64: Int] = [:]
    for (place, item) in items.enumerated() { places[item.id] = place }
    for edit in edits {
      guard let place = places[edit.id] else { continue }
      switch edit.attribute {
      case .name: items[place].name = edit.text ?? ""
      case .serial: items[place].serial = edit.text ?? ""
      case .notes: items[place].notes = edit.text ?? ""
      case .valueInDollars: items[place].valueInDollars = edit.number ?? 0
      }
    }
    return items
  }
}
