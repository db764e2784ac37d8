import RepriseEventStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// The other process of Tests/CrashTests: plays one role in one store, and says line by line what it did.
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)

let arguments = Arguments(CommandLine.arguments)
PowerCuts.record(arguments)
do {
  switch arguments.role {
  case "flip":
    var damage = Damage(arguments)
    try await damage.flipValues(of: arguments["table"])
  case "structure":
    var damage = StructureDamage(arguments)
    try await damage.run()
  case "truncate":
    var damage = Damage(arguments)
    try await damage.truncate()
  case "save":
    let saver = try Saver(arguments)
    if arguments["screens"] == "yes" { try await saver.restoreScreen() }
    try await saver.run(steps: arguments.number("steps", 1_000_000))
  case "hear": try await Hearing.hear(arguments.path)
  case "tell": try await Hearing.tell(arguments.path)
  case "take back": try await Hearing.takeBack(arguments.path)
  case "add together": try await Together.add(arguments)
  case "show together": try await Together.show(arguments)
  case "type steadily": try await Inspecting.type(arguments)
  case "look at drafts": try await Inspecting.look(arguments)
  case "inspect": try await Together.inspect(arguments)
  case "hold": try await LateNews.hold(arguments.path)
  case "save and die": try await LateNews.save(arguments.path, dyingAfter: arguments.number("write"))
  case "stop": try await Stopping.stop(arguments)
  case "stop prepare": try await Stopping.prepare(arguments)
  case "stop verify":
    let report = try await StoreMaintenance.verify(Stopping.open(arguments, options()))
    if !report.isSound { problem("\(report)") }
  case "open beside": try await Beside.open(arguments)
  case "open from the main actor": try await Beside.openFromTheMainActor(arguments.path)
  case "take beside": try await Beside.take(arguments)
  case "save at once": try await Beside.saveAtOnce(arguments)
  case "save beside": try await Beside.save(arguments)
  case "drop prepare": try await Dropping.prepare(arguments.path, upTo: arguments.number("last"))
  case "drop": try await Dropping.retain(arguments.path, last: arguments.number("last"))
  case "drop and die": try await Dropping.retain(arguments.path, dyingAfter: arguments.number("write"))
  case "drop idle": try await Dropping.idle(arguments.path, upTo: arguments.number("last"))
  case "drop pin": try await Dropping.pin(arguments.path, at: arguments.number("at"))
  case "look at dropped": try await Dropping.look(arguments.path)
  case "look twice": try await LateNews.look(arguments.path)
  case "storm": try await StormProcess.run(arguments)
  case "prepare": try await Counting.prepare(arguments.path)
  case "count": try await Counting.count(arguments)
  case "watch": try await Counting.watch(arguments)
  case "tally": try await Counting.tally(arguments.path)
  case "full save": try await FullDisk.save(arguments.path)
  case "full blob": try await FullDisk.blob(arguments.path)
  case "full make": try await FullDisk.make(arguments.path)
  case "full journal": try await FullDisk.journal(arguments.path)
  case "fill": try await FullDisk.fill(arguments.path, arguments["ballast"])
  case "full lock": try await FullDisk.lock(arguments.path, arguments["ballast"])
  case "type": try await Termination.type(arguments)
  case "type in windows": try await Termination.typeInWindows(arguments)
  case "type elsewhere": try await Termination.typeElsewhere(arguments)
  case "look elsewhere": try await Termination.lookElsewhere(arguments.path)
  case "look at windows": try await Termination.lookAtWindows(arguments.path)
  case "look at typing": try await Termination.look(arguments.path)
  case "launch": try await Launch.run(arguments)
  case "levels": try await Levels.run(arguments)
  case "open": openOnce(arguments.path)
  case "make durably": try await DurableMaking.run(arguments.path, salvaging: arguments["from"])
  case "visit": try await PowerCuts.visit(arguments)
  case "cut power": try await PowerCuts.open(arguments)
  case "cut": try await CutRun.run(arguments)
  case "fail flushes":
    try await FailedFlushes.run(
      arguments.path, images: arguments.number("images"), seed: UInt64(arguments.number("seed")),
      times: arguments.number("times", 1))
  case "access": try await Access.run(arguments.path)
  case "fault":
    try await EveryFault.run(
      arguments.path, arguments["fault"], arguments["program"], ballast: arguments["ballast"])
  case "refuse":
    var refusal = try Refusal(arguments)
    switch arguments["what"] {
    case "paths": try await refusal.paths()
    case "files": try await refusal.files()
    case "databases": try await refusal.databases()
    case "permissions": try await refusal.permissions()
    case "links": try await refusal.links()
    default: try await refusal.readOnlyFileSystem(arguments["what"])
    }
  case "journal":
    var damage = JournalDamage(arguments)
    try await damage.run()
  case "addresses": try await Addresses.resolve(arguments.path)
  case "misuse": try await Misuse.commit(arguments["what"], arguments.path)
  case "births": try await Births.run(arguments)
  case "make": try await makeStore(arguments.path, stamps: 1...3)
  case "make with a draft": try await WorkProgram().prepare(arguments.path)
  case "verify":
    let report = try await StoreMaintenance.verify(openStore(arguments.path))
    say("verified \(report.transactions)")
    if !report.isSound { problem("\(report)") }
  default: problem("no role '\(arguments.role)'")
  }
} catch {
  problem("\(arguments.role): \(error)")
}
