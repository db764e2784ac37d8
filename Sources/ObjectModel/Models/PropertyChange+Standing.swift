extension PropertyChange {
  /// How a change relates to a state that may have moved on since its base.
  package enum Standing {
    /// The state still has the base value.
    case news
    /// The state already has the new value.
    case agreed
    /// Others changed it too, and by the attribute's rule this is what both come to.
    case merged(PropertyValue)
    /// Others changed it too.
    case conflict
  }

  /// Compares base, mine and theirs. Decides what a conflict is, for saves into the log and into a parent, and for
  /// previews of both.
  ///
  /// Without a rule, two writers of the same number may both have added to it, which is a conflict; two writers of the
  /// same text, truth value, date or reference agree.
  package func standing(to theirs: PropertyValue, in entity: Entity) -> Standing {
    let isMine = theirs.isIdentical(to: new)
    if theirs.isIdentical(to: old) { return isMine ? .agreed : .news }
    // What it is follows from what the others are merged to.
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
