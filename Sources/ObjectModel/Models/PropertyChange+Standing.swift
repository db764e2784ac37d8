extension PropertyChange {
  /// How a change stands to a state that may have moved on since it began.
  package enum Standing {
    /// What it began from is still there.
    case news
    /// The state has its value already.
    case agreed
    /// Others changed it too, and by the attribute's rule this is what both come to.
    case merged(PropertyValue)
    /// Others changed it too.
    case conflict
  }

  /// Compares base, mine and theirs: the one place where it is decided what a conflict is, for saves into the log and
  /// into a parent, and for what is said of them before.
  ///
  /// Without a rule: two who came to the same number may both have added to it; two who came to the same text, truth
  /// value, date or reference wanted the same.
  package func standing(to theirs: PropertyValue, in entity: Entity) -> Standing {
    let isMine = theirs.isIdentical(to: new)
    if theirs.isIdentical(to: old) { return isMine ? .agreed : .news }
    guard let attribute = entity.properties[slot].attribute, let rule = attribute.mergeRule else {
      return isMine && !new.isNumber ? .agreed : .conflict
    }
    guard let merged = rule.merged(base: old, mine: new, theirs: theirs), attribute.reads(merged) else {
      return .conflict
    }
    return merged.isIdentical(to: theirs) ? .agreed : .merged(merged)
  }
}
