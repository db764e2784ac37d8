import Foundation
import Synchronization

/// A headless Chromium, driven by messages of the DevTools protocol over two pipes. It ends with the test process.
public final class Chromium: Sendable {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
    public init(description: String) { self.description = description }
  }

  /// One browser for all tests, since it takes a second to start.
  @MainActor public static func shared() throws -> Chromium {
    if let browser { return browser }
    let started = try Chromium()
    browser = started
    return started
  }

  @MainActor private static var browser: Chromium?

  private struct Messages {
    var count = 0
    /// By the number of the command.
    var answers: [Int: Data] = [:]
    /// Complaints of each page, by its session.
    var complaints: [String: [String]] = [:]
    var hasEnded = false
  }

  private let messages = Mutex(Messages())
  private let writing: Int32

  private init() throws {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let paths = names.flatMap { name in folders.map { "\($0)/\(name)" } }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
      throw Failure(
        description: "Chromium is not installed. Type 'apt install chromium', or set REPRISE_WITHOUT_CHROMIUM=yes to "
          + "leave its tests out.")
    }
    let profile = NSTemporaryDirectory() + "reprise-chromium-\(UInt32.random(in: 0 ... .max))"
    // The shell removes the profile after the browser, which ends when its pipe closes.
    let script = """
      mkdir "$1"
      "$0" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-background-networking \
        --no-first-run --hide-scrollbars --force-color-profile=srgb --remote-debugging-pipe --user-data-dir="$1" \
        about:blank
      rm -rf "$1"
      """
    let (commands, answers) = (try Self.pipe(), try Self.pipe())
    writing = commands.end
    try Self.spawn(["/bin/sh", "-c", script, path, profile], three: commands.start, four: answers.end)
    close(commands.start)
    close(answers.end)
    let reading = answers.start
    Thread.detachNewThread { self.read(reading) }
  }

  /// Both ends have high numbers, so that no copy to 3 or 4 overwrites an end.
  private static func pipe() throws -> (start: Int32, end: Int32) {
    var ends: [Int32] = [0, 0]
    guard Foundation.pipe(&ends) == 0 else { throw Failure(description: "No pipe for Chromium: \(errno)") }
    let high = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
    for end in ends { close(end) }
    return (high[0], high[1])
  }

  private static func spawn(_ words: [String], three: Int32, four: Int32) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for number: Int32 in 0...2 { posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0) }
    posix_spawn_file_actions_adddup2(&actions, three, 3)
    posix_spawn_file_actions_adddup2(&actions, four, 4)
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let status = posix_spawn(&process, words[0], &actions, nil, &arguments, environ)
    guard status == 0 else { throw Failure(description: "Chromium cannot be started: error \(status)") }
  }

  // MARK: Messages

  /// Sends a command, and waits for its answer.
  public nonisolated(nonsending) func send(
    _ method: String, _ parameters: [String: Any] = [:], to session: String? = nil
  ) async throws -> [String: Any] {
    let number = messages.withLock { messages in
      messages.count += 1
      return messages.count
    }
    var message: [String: Any] = ["id": number, "method": method, "params": parameters]
    message["sessionId"] = session
    var bytes = try JSONSerialization.data(withJSONObject: message)
    bytes.append(0)
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = write(writing, UnsafeRawBufferPointer(rebasing: rest).baseAddress!, rest.count)
        guard count > 0 else { throw Failure(description: "Chromium has ended before \(method).") }
        rest = rest.dropFirst(count)
      }
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      let (answer, hasEnded) = messages.withLock { ($0.answers.removeValue(forKey: number), $0.hasEnded) }
      if let answer {
        let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any] ?? [:]
        if let error = object["error"] { throw Failure(description: "Chromium refuses \(method): \(error)") }
        return object["result"] as? [String: Any] ?? [:]
      }
      if hasEnded { throw Failure(description: "Chromium has ended without an answer to \(method).") }
      if ContinuousClock.now > deadline { throw Failure(description: "Chromium does not answer \(method).") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Errors, exceptions and refusals of the content security policy that a page has logged.
  public func complaints(of session: String) -> [String] { messages.withLock { $0.complaints[session] ?? [] } }

  private func read(_ descriptor: Int32) {
    var waiting = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count <= 0 { break }
      var rest = buffer[..<count]
      while let end = rest.firstIndex(of: 0) {
        receive(waiting + rest[..<end])
        waiting = Data()
        rest = rest[(end + 1)...]
      }
      waiting.append(contentsOf: rest)
    }
    messages.withLock { $0.hasEnded = true }
  }

  private func receive(_ data: Data) {
    guard let message = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else { return }
    if let number = message["id"] as? Int { return messages.withLock { $0.answers[number] = data } }
    guard let session = message["sessionId"] as? String, let complaint = Self.complaint(message) else { return }
    messages.withLock { $0.complaints[session, default: []].append(complaint) }
  }

  private static func complaint(_ event: [String: Any]) -> String? {
    let parameters = event["params"] as? [String: Any] ?? [:]
    switch event["method"] as? String {
    case "Runtime.exceptionThrown":
      let details = parameters["exceptionDetails"] as? [String: Any]
      let exception = details?["exception"] as? [String: Any]
      return "exception: \(exception?["description"] ?? details?["text"] ?? "")"
    case "Log.entryAdded":
      guard let entry = parameters["entry"] as? [String: Any], entry["level"] as? String == "error" else { return nil }
      return "\(entry["text"] ?? "") \(entry["url"] ?? "")"
    case "Runtime.consoleAPICalled":
      guard let type = parameters["type"] as? String, ["error", "assert", "warning"].contains(type) else { return nil }
      return "console.\(type): \(parameters["args"] ?? "")"
    case "Page.javascriptDialogOpening": return "dialog: \(parameters["message"] ?? "")"
    default: return nil
    }
  }
}
