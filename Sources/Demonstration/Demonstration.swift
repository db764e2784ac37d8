#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The program that `make demo` runs. It is a library, because SwiftPM sometimes compiles a test before the executable
/// that the test imports.
@MainActor package enum Demonstration {
  package static func run() async {
    let mainBegan = SharedClock.now()
    if CommandLine.arguments.dropFirst().contains("--help") {
      print(Options.help)
      exit(0)
    }
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      try await run(options, mainBegan)
      exit(0)
    } catch {
      Terminal.complain("RepriseDemo: \(error)")
      exit((error as? DemoError)?.code ?? 1)
    }
  }

  #if Macros
  private static func run(_ options: Options, _ mainBegan: UInt64) async throws {
    let terminal = Terminal(allowsColour: options.allowsColour)
    guard let phase = options.phase, let store = options.store else { return try Director(options, terminal).run() }
    switch phase {
    case .load: try await LoadPhase(store: store, options, terminal).run()
    case .edit: try await EditPhase(store: store, terminal).run()
    case .restore:
      try await RestorePhase(store: store, startedAt: options.startedAt, mainBegan: mainBegan, terminal).run()
    }
  }
  #else
  private static func run(_ options: Options, _ mainBegan: UInt64) async throws {
    throw DemoError.usage("The demonstration needs the package trait Macros.")
  }
  #endif
}
