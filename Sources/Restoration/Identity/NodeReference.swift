/// A reference to a node that stays valid when the node is moved or renamed.
///
/// Use it in the state of one node to refer to another. A path could later lead to a different node.
///
/// ```swift
/// struct InspectorState: Codable, Sendable { var inspected: NodeReference? }
/// inspector.node.state.inspected = page.node.reference
/// // In a later launch:
/// let page = try inspector.node.state.inspected.flatMap { try restoration.screen(Page.kind, of: $0) }
/// ```
///
/// A reference belongs to the tree of one scene. Once its node is closed, it leads nowhere. A node that is later opened
/// at the same path has another reference.
public struct NodeReference: Hashable, Sendable {
  /// The identity of the node.
  let identity: String

  init(_ identity: String) { self.identity = identity }
}

extension NodeReference: Codable {
  /// Decodes a reference from its text.
  ///
  /// A text that names no node makes a reference that leads nowhere.
  public init(from decoder: any Decoder) throws {
    identity = try decoder.singleValueContainer().decode(String.self)
  }

  /// Encodes the reference as a text of at most 13 characters.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identity)
  }
}
