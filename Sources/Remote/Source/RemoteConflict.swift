import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel

/// A local change that the server did not accept, to be resolved by ``RemoteSource/resolve(_:_:)``. It is kept in the
/// store until then, and the object keeps the local values.
public struct RemoteConflict<Element: PersistentModel>: Identifiable, Hashable, Sendable {
  /// A property that both sides changed.
  public struct Property: Hashable, Sendable {
    /// Its name in the model.
    public let name: String
    /// What it was before the local change.
    public let base: PropertyValue
    /// What it is here.
    public let mine: PropertyValue
    /// What it is on the server.
    public let theirs: PropertyValue
  }

  /// What the two sides did.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// Both changed these properties, to different values.
    case properties([Property])
    /// The object was changed here, and its row deleted by the server.
    case deletedByThem
    /// The object was deleted here, and the server keeps its row.
    case deletedByMe
    /// The server does not accept the new object, or the change of these properties, as it is; or it cannot be sent, or
    /// the server's answer not be understood.
    case refused(properties: [String])
  }

  /// Which side of a conflict stays.
  public enum Resolution: Hashable, Sendable {
    /// The local change is sent again, on top of what the server has; a row that the server deleted is made again. If
    /// the answer to a new object could not be understood, it is sent as it was, under the same idempotency key.
    case mine
    /// The local change is given up: a changed object gets the server's values, a new one is deleted, a deleted one
    /// comes back with the next refresh.
    case theirs
  }

  /// The conflict, as long as it lasts.
  public let id: AnyObjectID
  /// The object.
  public let object: Element.ID
  /// What the two sides did.
  public let kind: Kind
  /// What the server said of it, if it did, or why it cannot be sent.
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
  /// The object, and what the two sides did.
  public var description: String {
    let what =
      switch kind {
      case .properties(let properties):
        properties.map { "\($0.name) was \($0.base), mine \($0.mine), theirs \($0.theirs)" }.joined(separator: "; ")
      case .deletedByThem: "changed here, deleted by the server"
      case .deletedByMe: "deleted here, kept by the server"
      case .refused(let names): names.isEmpty ? "refused" : "refused: " + names.joined(separator: ", ")
      }
    return "\(object): \(what)" + (reason.map { " (\($0))" } ?? "")
  }
}
