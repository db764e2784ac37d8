import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel

/// A local change that the server did not accept, to resolve with ``RemoteSource/resolve(_:_:)``.
///
/// Until then, the store keeps the conflict, and the object keeps the local values.
public struct RemoteConflict<Element: PersistentModel>: Identifiable, Hashable, Sendable {
  /// A property that both sides changed.
  public struct Property: Hashable, Sendable {
    /// The name in the model.
    public let name: String
    /// The value before the local change.
    public let base: PropertyValue
    /// The local value.
    public let mine: PropertyValue
    /// The value on the server.
    public let theirs: PropertyValue
  }

  /// The changes of both sides.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// Both sides set these properties, to different values.
    case properties([Property])
    /// The object was changed locally, and the server deleted its row.
    case deletedByThem
    /// The object was deleted locally, and the server kept its row.
    case deletedByMe
    /// The server refused the new object or the change of these properties, or the exchange failed.
    ///
    /// The exchange failed if the change could not be sent, or if the server's answer could not be understood.
    case refused(properties: [String])
  }

  /// The side of a conflict that wins.
  public enum Resolution: Hashable, Sendable {
    /// The local change is sent again, on top of the server's values.
    ///
    /// A row that the server deleted is created again. If the answer to a new object could not be understood, the
    /// object is sent unchanged, with the same idempotency key. If this version of the program cannot decode the record
    /// that was sent, the conflict stays.
    case mine
    /// The local change is discarded.
    ///
    /// A changed object gets the server's values, or is deleted if the server deleted its row. A new object is deleted.
    /// A deleted object returns with the next refresh.
    case theirs
  }

  /// The identity of the conflict while it lasts.
  public let id: AnyObjectID
  /// The ID of the object.
  public let object: Element.ID
  /// The changes of both sides.
  public let kind: Kind
  /// The server's reason, or the reason why the change cannot be sent, or `nil` if there is none.
  public let reason: String?

  init(_ entry: OutboxEntry, _ object: Element?) {
    id = entry.id.any
    self.object = Element.ID(uuid: entry.object)
    reason = entry.reason
    let base = entry.base
    if entry.isGone {
      kind = .deletedByThem
    } else if entry.kind == .delete {
      kind = .deletedByMe
    } else if let theirs = entry.theirs {
      kind = .properties(
        theirs.names.map { name in
          let mine = Element.entity.slot(named: name).flatMap { object?._storage.value($0) }
          return Property(name: name, base: base[name] ?? .null, mine: mine ?? .null, theirs: theirs[name] ?? .null)
        })
    } else {
      kind = .refused(properties: base.names)
    }
  }
}

extension RemoteConflict: CustomStringConvertible {
  /// The object, and the changes of both sides.
  public var description: String {
    let what =
      switch kind {
      case .properties(let properties):
        properties.map(Self.text).joined(separator: "; ")
      case .deletedByThem: "changed here, deleted by the server"
      case .deletedByMe: "deleted here, but the server did not accept the deletion"
      case .refused(let names):
        names.isEmpty
          ? "the server did not accept the new object"
          : "the server did not accept the change of \(names.joined(separator: ", "))"
      }
    return "\(object): \(what)" + (reason.map { " (\($0))" } ?? "")
  }

  private static func text(_ property: Property) -> String {
    let types = Element.entity.types(of: [property.name])
    return "\(property.name) was \(types.text(property.base)), mine \(types.text(property.mine)), "
      + "theirs \(types.text(property.theirs))"
  }
}
