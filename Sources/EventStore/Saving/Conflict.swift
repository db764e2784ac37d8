import RepriseObjectModel

/// Two changes of the same thing: yours, and one that was saved after the position that yours is based on.
///
/// For example, you set the price of an item to 3, and another save has set it to 4 since.
public struct Conflict: Hashable, Sendable {
  /// The kind of conflict between the two changes.
  public enum Kind: Hashable, Sendable {
    /// Both changed this attribute or to-one relationship, and an attribute's ``MergeRule`` does not merge the values.
    /// Equal values do not conflict, except for numbers: both changes may have added the same amount.
    case attribute(String)
    /// You changed an object that another save deleted.
    case deletedByThem
    /// You changed an object that another save deleted, and its last values are no longer in the log.
    /// `TransactionLog.retain` dropped them, or a power cut undid the save that inserted the object. No merge policy
    /// can restore such an object. Even under ``MergePolicy/mine`` and ``MergePolicy/overwrite``, the save throws with
    /// this conflict, so your values are not lost.
    case unrestorable
    /// You deleted an object that another save changed.
    case deletedByMe
    /// Your object refers in this relationship to an object that another save deleted.
    case missingTarget(String)
    /// Your object refers in this relationship to an object that was never saved, for example because its insertion was
    /// discarded.
    case unsavedTarget(String)
    /// Another save made this object refer in this relationship to an object that you deleted. Your save would set the
    /// reference to `nil`, or delete this object, too, if that is the delete rule.
    case addedToDeleted(String, DeleteRule)
    /// Your object refers in this one-to-one relationship to an object that another save assigned to a third object.
    /// Your save would take it from that one.
    case taken(String, by: AnyObjectID)
    /// You inserted an object whose ID is already in the log.
    case insertedTwice
  }

  /// The object that both changes concern.
  public let object: AnyObjectID
  /// The kind of conflict.
  public let kind: Kind
  /// The value that your change is based on.
  public let base: PropertyValue
  /// Your value.
  public let mine: PropertyValue
  /// The saved value; in a child context, the parent's value.
  public let theirs: PropertyValue
  private let types: ValueTypes

  /// - type: The type of the attribute, if the conflict is about one.
  package init(
    object: AnyObjectID, kind: Kind, base: PropertyValue = .null, mine: PropertyValue = .null,
    theirs: PropertyValue = .null, type: (any AttributeValue.Type)? = nil
  ) {
    types = ValueTypes([type])
    self.object = object
    self.kind = kind
    self.base = base
    self.mine = mine
    self.theirs = theirs
  }

  /// The name of the attribute or relationship in conflict; `nil` if the conflict is about the whole object.
  public var attribute: String? {
    switch kind {
    case .attribute(let name), .missingTarget(let name), .unsavedTarget(let name), .addedToDeleted(let name, _),
      .taken(let name, _):
      name
    case .deletedByThem, .unrestorable, .deletedByMe, .insertedTwice: nil
    }
  }
}

extension Conflict {
  /// The description for the reversal of a transaction. The base is the value that the transaction set, and `mine` is
  /// the value before it.
  func description(reverting position: Position) -> String {
    switch kind {
    case .attribute(let name):
      "\(object).\(name): transaction \(position) changed it from \(types.text(mine)) to \(types.text(base)), and a "
        + "later change to \(types.text(theirs))"
    case .deletedByThem: "\(object): transaction \(position) changed this object, and a later change deleted it"
    case .deletedByMe: "\(object): transaction \(position) inserted this object, and a later change modified it"
    case .missingTarget(let name):
      "\(object).\(name): the reversal would refer to \(mine), which a later change deleted"
    default: description
    }
  }
}

extension Conflict: CustomStringConvertible {
  /// The object, the attribute and the three values.
  public var description: String {
    switch kind {
    case .attribute(let name):
      "\(object).\(name): was \(types.text(base)), mine \(types.text(mine)), theirs \(types.text(theirs))"
    case .deletedByThem: "\(object): these changes modify it, and another change deleted it"
    case .unrestorable:
      "\(object): these changes modify it, another change deleted it, and the log no longer has its last values "
        + "(`TransactionLog.retain`, or a power cut)"
    case .deletedByMe: "\(object): these changes delete it, and another change modified it"
    case .missingTarget(let name): "\(object).\(name): refers to \(mine), which was deleted elsewhere"
    case .unsavedTarget(let name): "\(object).\(name): refers to \(mine), which was never saved. Assign another object"
    case .addedToDeleted(let name, .nullify):
      "\(object).\(name): set by another save to \(theirs), which is deleted here"
    case .addedToDeleted(let name, _):
      "\(object).\(name): set by another save to \(theirs), which is deleted here, so the delete rule would also "
        + "delete \(object)"
    case .taken(let name, let other):
      "\(object).\(name): refers to \(mine), but another save assigned \(mine) to \(other), and only one object can "
        + "have it"
    case .insertedTwice: "\(object): inserted here, but another save inserted an object with the same ID"
    }
  }
}
