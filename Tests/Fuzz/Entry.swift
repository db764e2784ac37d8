import Foundation

/// What libFuzzer calls with bytes of its choosing: one of the targets, by the name in REPRISE_FUZZ.
///
/// A target must come back from any bytes; to trap is to fail. Formats with checksums get their bytes twice, as they
/// are and with the checksum put right: nobody guesses one.
protocol FuzzTarget {
  init() throws
  /// What the search begins with.
  func seeds() throws -> [[UInt8]]
  mutating func run(_ bytes: [UInt8]) throws
}

nonisolated(unsafe) private let targets: [String: any FuzzTarget.Type] = [
  "frames": FuzzFrames.self, "records": FuzzRecords.self, "journals": FuzzJournals.self,
  "archives": FuzzArchives.self, "states": FuzzStates.self, "uris": FuzzURIs.self, "fetches": FuzzFetches.self,
  "check": FuzzCheck.self,
]

nonisolated(unsafe) private var target: (any FuzzTarget)?

/// Makes the target, and writes its seeds into the folder that REPRISE_FUZZ_SEEDS names.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<CInt>?, _ words: UnsafeMutableRawPointer?) -> CInt {
  let environment = ProcessInfo.processInfo.environment
  guard let type = targets[environment["REPRISE_FUZZ"] ?? ""] else {
    print("REPRISE_FUZZ must be one of \(targets.keys.sorted().joined(separator: ", "))")
    exit(2)
  }
  do {
    var made = try type.init()
    for (number, seed) in try made.seeds().enumerated() {
      // A search that begins with what is refused gets nowhere.
      try made.run(seed)
      if let folder = environment["REPRISE_FUZZ_SEEDS"] {
        try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(number)"))
      }
    }
    target = made
  } catch {
    print("the target cannot be made: \(error)")
    exit(2)
  }
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // An error is an answer.
  try? target?.run([UInt8](UnsafeBufferPointer(start: start, count: count)))
  return 0
}
