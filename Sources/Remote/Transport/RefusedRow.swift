/// A row of the server that the store cannot keep as it is: the mapping refuses it, or it breaks a rule of the model.
/// Or the transport cannot read its record. If there was an object before, that stays as it was. Or a row that is gone,
/// and whose object a rule does not let go.
public struct RefusedRow: Hashable, Sendable {
  /// The row's identifier; `nil` for rows that have none, or none of the key's type.
  public let id: String?
  /// Why it cannot be kept.
  public let reason: String

  /// A row whose record a transport cannot read, for ``RemotePage/unreadable``.
  public init(id: String?, reason: String) {
    self.id = id
    self.reason = reason
  }
}

extension RefusedRow: CustomStringConvertible {
  /// The identifier and the reason.
  public var description: String { "\(id.map { "'\($0)'" } ?? "a row without an identifier"): \(reason)" }
}
