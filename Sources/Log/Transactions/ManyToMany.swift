import RepriseObjectModel

/// The names of a relationship with links at its ends. `nil` for an end that the store does not have.
package struct ManyToMany {
  fileprivate var ofOwner: String?
  fileprivate var ofMember: String?

  /// An added or removed pair, as changes of the objects at both ends.
  package func changes(isAdded: Bool, owner: AnyObjectID, member: AnyObjectID) -> [LoggedTransaction.Change] {
    [(owner, ofOwner, member), (member, ofMember, owner)].compactMap { object, name, other in
      guard let name else { return nil }
      let form = PropertyDifference.Form.members(added: isAdded ? [other] : [], removed: isAdded ? [] : [other])
      return LoggedTransaction.Change(
        object: object, kind: .updated, properties: [PropertyDifference(property: name, form: form)])
    }
  }
}

extension StoredSchema {
  /// By the number of the links' entity.
  package var links: [UInt32: ManyToMany] {
    var names: [UInt32: ManyToMany] = [:]
    for entity in entities {
      for property in entity.properties {
        guard case .toMany(let target, let inverse, _) = property.role, let links = self.entity(number: target),
          isLink(links)
        else { continue }
        if links.property(number: inverse)?.name == Link.ownerName {
          names[target, default: ManyToMany()].ofOwner = entity.lastName(of: property)
        } else {
          names[target, default: ManyToMany()].ofMember = entity.lastName(of: property)
        }
      }
    }
    for (number, pair) in names {
      // A relationship that is its own inverse has each pair twice, and this is the second direction.
      if let owner = pair.ofOwner, pair.ofMember == Property.mirrorName(of: owner) { names[number]?.ofMember = nil }
    }
    return names
  }
}
