/// Leads to a node, wherever it is moved and whatever it is called: for the state of another node, where a path might
/// lead to whoever comes there later.
///
/// ```swift
/// struct InspectorState: Codable, Sendable { var inspected: NodeReference? }
/// inspector.node.state.inspected = page.node.reference
/// // In a later launch:
/// let page = try inspector.node.state.inspected.flatMap { try restoration.screen(Page.kind, of: $0) }
/// ```
///
/// It is of one scene's tree, and leads nowhere once the node is closed; what is opened in its place later has another.
public struct NodeReference: Hashable, Sendable {
  /// The identity of the node.
  let identity: String

  init(_ identity: String) { self.identity = identity }
}

extension NodeReference: Codable {
  /// Reads the text. What is none leads nowhere.
  public init(from decoder: any Decoder) throws {
    identity = try decoder.singleValueContainer().decode(String.self)
  }

  /// Writes a text of at most 13 characters.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identity)
  }
}
