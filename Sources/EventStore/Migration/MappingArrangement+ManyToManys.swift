import RepriseLog
import RepriseObjectModel

extension MappingArrangement {
  /// Makes the links of moved objects lead to their new objects.
  ///
  /// - Parameters:
  ///   - near: The reference from a link to the object that moves.
  ///   - end: The new form of the relationship; `nil` if the models have none.
  mutating func relink(
    _ links: StoredEntity, _ near: UInt32, _ name: String, _ end: ResolvedSchema.Relationship?, to target: UInt32,
    _ move: MigrationState.Work
  ) throws(StoreError) {
    var work = MigrationState.Work(kind: .relink, mapping: move.mapping, source: links.number, target: links.number)
    work.reference = near
    guard let end, let far = end.far else {
      work.ends = [.init(old: target, new: 0)]
      if !works.contains(where: { $0.source == work.source && $0.ends == work.ends }) { works.append(work) }
      return
    }
    let farEnd = links.properties.first { $0.number != near && $0.role.stores && !$0.name.isEmpty }?.role.end
    let other = number(of: far.entity, likely: farEnd?.target)
    let new = self.links(name, end, far, of: target, other)
    // In a relationship that is its own inverse, both directions have the same links.
    if works.contains(where: { $0.kind == .relink && $0.source == links.number && $0.target == new }) { return }
    let after = entity(new)
    work = .init(kind: .relink, mapping: move.mapping, source: links.number, target: new)
    work.reference = near
    work.ends = [.init(old: target, new: new)]
    for property in links.properties where !property.name.isEmpty {
      // The former owner may be the member now, because that depends on names.
      let isNear = property.number == near || property.name == Property.nameOfPlaces(in: links.name(of: near))
      let isPlace = property.role.end == nil
      let side = isNear == end.isOwner ? Link.ownerName : Link.memberName
      if case .columns = property.role { continue }
      let taking = after.property(named: isPlace ? Property.nameOfPlaces(in: side) : side)
      if let taking { work.pairs.append(.init(old: property.number, new: taking.number)) }
    }
    works.append(work)
  }

  /// The number of the links of a many-to-many that the models declare.
  private mutating func links(
    _ name: String, _ end: ResolvedSchema.Relationship, _ far: ResolvedSchema.Relationship.Far, of number: UInt32,
    _ other: UInt32
  ) -> UInt32 {
    let model = end.target
    let backModel = models.relationship(far.slot, of: model)
    let backName = backModel.map { $0.target.properties[$0.inverseSlot].name } ?? ""
    // The names at this point of the plan: the models may have later ones.
    let linkName = end.isOwner ? Link.name(entity(number).name, name) : Link.name(entity(other).name, backName)
    // If the other end is the owner, the links to the moved object have the same name.
    func leads(_ links: StoredEntity) -> Bool {
      links.properties.contains { !$0.name.isEmpty && $0.role.stores && $0.role.end?.target == number }
    }
    if let known = schema.entities.first(where: { $0.name == linkName && schema.isLink($0) && leads($0) }) {
      return known.number
    }
    if let known = models.entities.firstIndex(where: { $0 === model }),
      let stored = SchemaMatch(models, schema).stored(known, schema), leads(stored)
    {
      return stored.number
    }
    let links = newEntity(named: linkName)
    let (near, back) = (newProperty(), newProperty())
    let (here, there) = (newProperty(), newProperty())
    let sides = [
      (number: near, name: end.isOwner ? Link.ownerName : Link.memberName, target: number, inverse: here),
      (number: back, name: end.isOwner ? Link.memberName : Link.ownerName, target: other, inverse: there),
    ]
    for side in sides.sorted(by: { $0.name > $1.name }) {
      declare(
        StoredProperty(
          number: side.number, name: side.name,
          role: .toOne(target: side.target, inverse: side.inverse, deleteRule: .nullify, stores: true),
          index: newIndex()), in: links)
    }
    for property in model.properties {
      guard let attribute = property.attribute else { continue }
      declare(
        StoredProperty(
          number: newProperty(), name: property.name,
          role: .attribute(attribute.kind, isOptional: attribute.isOptional), defaultValue: attribute.defaultValue),
        in: links)
    }
    declare(
      StoredProperty(
        number: here, name: name, role: .toMany(target: links, inverse: near, deleteRule: end.deleteRule)), in: number)
    if let backModel {
      let rule = models.relationship(backModel.inverseSlot, of: backModel.target)?.deleteRule ?? .cascade
      declare(
        StoredProperty(
          number: there, name: backName, role: .toMany(target: links, inverse: back, deleteRule: rule)), in: other)
    }
    return links
  }
}

extension StoredEntity {
  fileprivate func name(of number: UInt32) -> String { property(number: number)?.name ?? "" }
}
