#if Command
import ArgumentParser
import RepriseCore
import RepriseTool

struct Retain: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Delete old transactions from the log. Objects keep their present values.",
    discussion: "The file becomes shorter only with 'compact'.")

  @OptionGroup var argument: StoreArgument
  @Option(help: "Keep so many transactions.") var last: Int?
  @Option(help: "Keep the transactions of so many days.") var days: Int?
  @Option(help: "Keep the transactions at or after a position, a date or a time.") var since: String?
  @OptionGroup var consent: Consent
  @OptionGroup var terminal: Terminal

  func validate() throws {
    if [last != nil, days != nil, since != nil].count(where: \.self) != 1 {
      throw ValidationError("Write one of '--last', '--days' and '--since'.")
    }
    if (last ?? 1) < 1 || (days ?? 0) < 0 { throw ValidationError("The number must be positive.") }
  }

  @MainActor func run() async throws {
    try await argument.open(editing: consent.isPossible) { store in
      let rule: RetentionPlan.Rule =
        if let last { .last(last) } else if let days { .days(days) } else {
          .from(try Places(store).firstPosition(since ?? "head"))
        }
      let plan = try RetentionPlan(rule, of: store)
      if plan.count == 0 {
        return try terminal.write { try RetentionText(deleted: 0, plan.first, []).write(to: $0) }
      }
      try consent.require(plan.question)
      let report = try await Interrupts.cancelling {
        try await ProgressBar.show("Deleting") { progress in
          try await store.log.retain(plan.retention, progress: progress)
        }
      }
      try terminal.write { try RetentionText(report).write(to: $0) }
    }
  }
}

struct Erase: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Erase the past values of an object, for example personal data. No process may have the store open.",
    discussion: """
      Present values stay: assign other values or delete the object first. Authors, names of transactions and backups \
      stay, too.
      """)

  @OptionGroup var argument: StoreArgument
  @Argument(help: "The object, which may have been deleted.") var object: String
  @Option(help: "Only this property. You can repeat the option.") var property: [String] = []
  @OptionGroup var consent: Consent
  @OptionGroup var terminal: Terminal

  @MainActor func run() async throws {
    let plan = try await argument.open { store in
      let context = RootContext(store)
      return try ErasurePlan(of: Places(store).object(object, in: context), property, in: context)
    }
    try consent.require(plan.question)
    let report = try await ProgressBar.show("Erasing") { _ in
      try await StoreMaintenance.erase([plan.erasure], in: argument.store)
    }
    try terminal.write { try ErasureText(report).write(to: $0) }
  }
}
#endif
