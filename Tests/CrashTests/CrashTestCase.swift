import Foundation
import RepriseTestSeeds
import XCTest

/// A folder for the stores of a test, and what a child said in it.
class CrashTestCase: XCTestCase {
  private(set) var folder = ""

  override func setUpWithError() throws {
    announceSeed(Self.seed, of: name)
    folder = NSTemporaryDirectory() + "reprise-crash-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDownWithError() throws {
    try FileManager.default.removeItem(atPath: folder)
  }

  /// That of `REPRISE_SEED`, or a new one. All tests of a run have the same.
  static let seed = givenSeed() ?? newSeed()

  /// How often each of the tests that kill does so. There are two: 500 kills where `CI` is set, most in a storm.
  static let kills: Int = {
    let environment = ProcessInfo.processInfo.environment
    return environment["REPRISE_KILLS"].flatMap { Int($0) } ?? (environment["CI"] == nil ? 50 : 250)
  }()

  /// How many images of a disk after a power cut the long test looks at: `REPRISE_IMAGES`, or 500 where `CI` is set, or
  /// 100.
  static let images: Int = {
    let environment = ProcessInfo.processInfo.environment
    return environment["REPRISE_IMAGES"].flatMap { Int($0) } ?? (environment["CI"] == nil ? 100 : 500)
  }()

  /// Keeps what was said in a run that failed, in the folder of `REPRISE_TRACES`.
  static func keep(_ history: [String], as name: String) {
    guard let folder = ProcessInfo.processInfo.environment["REPRISE_TRACES"] else { return }
    let said = Data(history.joined(separator: "\n").utf8)
    _ = FileManager.default.createFile(atPath: "\(folder)/\(seed)-\(name)", contents: said)
  }

  /// Lets a child play its role to the end, and fails for every problem that it found and if it crashed. Returns what
  /// else it said.
  @discardableResult
  func play(
    _ role: String, _ values: KeyValuePairs<String, String> = [:], at path: String? = nil,
    through launcher: [String] = [], file: StaticString = #filePath, line: UInt = #line
  ) throws -> [String] {
    let child = try Child(role, path ?? folder + "/store", values, through: launcher)
    let lines = child.lines()
    for text in lines where text.hasPrefix("problem ") {
      XCTFail("\(role) \(values): \(text.dropFirst(8)); seed \(Self.seed)", file: file, line: line)
    }
    let ending = child.end()
    if ending == .exited(Self.cannot) { throw XCTSkip("this system lets this user mount no file system of its own") }
    XCTAssertEqual(ending, .exited(0), "\(role) \(values); seed \(Self.seed)", file: file, line: line)
    return lines.filter { !$0.hasPrefix("problem ") }
  }

  private static let cannot: Int32 = 77

  /// Runs a child in a world of its own, in which a script has mounted something. The script ends with `"$@"`, which is
  /// the child; it calls `cannot` where it may not go on. Who is not root is, in there.
  func inItsOwnWorld(_ script: String) -> [String] {
    let start = """
      for how in --mount "--mount --user --map-root-user"; do
        if unshare $how true; then exec unshare $how sh -c "$0" sh "$@"; fi
      done
      exit \(Self.cannot)
      """
    return ["sh", "-c", start, "cannot() { exit \(Self.cannot); }; " + script]
  }
}

extension String {
  /// The number that follows a word: `"cut refused 3"` has 3 for `"refused"`.
  func number(after word: String) -> Int {
    let words = split(separator: " ")
    guard let index = words.firstIndex(of: word[...]), index + 1 < words.count else { return -1 }
    return Int(words[index + 1]) ?? -1
  }
}
