import RepriseObjectModel

extension MigrationPreview: CustomStringConvertible {
  /// One line for each change and each problem, and the next step.
  public var description: String {
    let problems = problems
    let advice =
      problems.isEmpty
      ? "The preview found nothing that would prevent the opening."
      : "Correct the migration plan or the models, or change the objects with the previous version of the program. "
        + "Then open the store."
    return (["The store has version \(version)."] + changes + problems + [advice]).joined(separator: "\n")
  }

  private var changes: [String] {
    var lines = removals.map { "\($0) is removed for good." }
    lines += conversions.map {
      "The migration '\($0.migration)' converts \($0.entity).\($0.property) of \(counted($0.objects, "object"))."
    }
    lines += mappings.map {
      "The migration '\($0.migration)' maps \($0.mapping), for \(counted($0.objects, "object")) at most."
    }
    lines += renames.map { rename in
      rename.property.map { "\(rename.entity).\(rename.former) is renamed to \($0)." }
        ?? "\(rename.former) is renamed to \(rename.entity)."
    }
    lines += additions.map { addition in
      "\(addition.property.map { "\(addition.entity).\($0)" } ?? addition.entity) is new."
    }
    lines += derivations.map { "\($0.entity).\($0.property) is computed for \(counted($0.objects, "object"))." }
    lines += indexes.map { index in
      "The \(index.isUnique ? "unique index" : "index") over "
        + "\(index.entity)[\(index.properties.joined(separator: ", "))] is built for "
        + "\(counted(index.objects, "object"))."
    }
    lines += unmatchedSteps.map {
      "The migration '\($0.migration)' finds nothing in the store for its step '\($0.step)'. Check the names in this "
        + "step if the store should have them."
    }
    return lines + warnings.map(\.description)
  }

  private var problems: [String] {
    let failures = conversions.flatMap(\.failures) + mappings.flatMap(\.failures)
    let broken = violations + indexes.flatMap(\.violations)
    return failures.map(\.description) + broken.map { "An object would break a rule: \($0)." }
      + possibleRenames.map(\.description)
      + unreadable.map { unreadable in
        "\(unreadable.type), the type of \(unreadable.entity).\(unreadable.property) in the models, cannot hold the "
          + "values of \(counted(unreadable.objects, "object"))"
          + (unreadable.values.first.map { ", such as \($0.object)." } ?? ".")
      }
  }
}
