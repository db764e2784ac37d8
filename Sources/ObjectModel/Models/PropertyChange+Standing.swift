extension PropertyChange {
  /// How a change relates to a state that may have moved on since its base.
  package enum Standing {
    /// The state still has the base value, so the change is new.
    case news
    /// The state already has the new value.
    case agreed
    /// Both sides changed the value, and the attribute's rule merges the changes to this value.
    case merged(PropertyValue)
    /// Both sides changed the value.
    case conflict
  }

  /// Compares base, mine and theirs. Only this function decides whether a change conflicts. Saves into the log, saves
  /// into a parent, and previews of both use it.
  ///
  /// Without a rule, two writers of the same number may both have added to it, which is a conflict. Two writers of the
  /// same text, truth value, date or reference agree.
  package func standing(to theirs: PropertyValue, in entity: Entity) -> Standing {
    let isMine = theirs.isIdentical(to: new)
    if theirs.isIdentical(to: old) { return isMine ? .agreed : .news }
    // A derived attribute is computed from the merged values of the other attributes.
    if isDerived(entity) { return isMine ? .agreed : .news }
    guard let attribute = entity.properties[slot].attribute, let rule = attribute.mergeRule else {
      return isMine && !new.isNumber ? .agreed : .conflict
    }
    guard let merged = rule.merged(base: old, mine: new, theirs: theirs), attribute.reads(merged) else {
      return .conflict
    }
    return merged.isIdentical(to: theirs) ? .agreed : .merged(merged)
  }
}
