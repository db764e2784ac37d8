/// A row of the server that the store cannot keep, with the reason.
///
/// The mapping throws, the row violates a rule of the model, or the transport cannot read its record. An object that
/// already exists for the row stays unchanged. A row that the server deleted is also refused if a rule forbids the
/// deletion of its object.
public struct RefusedRow: Hashable, Sendable {
  /// The row's identifier, or `nil` if it has none, or none of the key's type.
  public let id: String?
  /// The reason why the row cannot be kept.
  public let reason: String

  /// Makes a row whose record a transport cannot read, for ``RemotePage/unreadable``.
  public init(id: String?, reason: String) {
    self.id = id
    self.reason = reason
  }
}

extension RefusedRow: CustomStringConvertible {
  /// The identifier and the reason.
  public var description: String { "\(id.map { "'\($0)'" } ?? "a row without an identifier"): \(reason)" }
}
