import RepriseObjectModel
import RepriseRemote
import RepriseSystem
import RepriseTestSeeds

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A server that is a file, so that it outlives all who ask it: a line for each change that it was asked for. It loses
/// requests, and answers.
final class NoteServer: RemoteTransport {
  private let path: String
  private let pageSize: Int
  private let tellsChanges: Bool
  /// A mistake that a test must find out: it does not know what it has been asked before.
  private let isForgetful: Bool
  /// Whether requests and answers are lost.
  private let loses: Bool
  private let random: Guarded<SeededGenerator>

  init(
    of store: String, pageSize: Int = .max, tellsChanges: Bool = false, isForgetful: Bool = false,
    losing random: SeededGenerator? = nil
  ) {
    path = store + "-server"
    self.pageSize = pageSize
    self.tellsChanges = tellsChanges
    self.isForgetful = isForgetful
    loses = random != nil
    self.random = Guarded(random ?? SeededGenerator(seed: 0))
  }

  var log: NoteLog { get throws { try locked { log, _ in log } } }

  /// What somebody else does.
  func remark(_ number: Int) throws {
    try locked { log, write in
      guard let id = log.rows.keys.sorted().first else { return }
      try write("- remark \(id) \(number)")
    }
  }

  // MARK: Answering

  func read(_ request: RemoteRequest) async throws -> RemoteReading<NoteRecord> {
    try losing {
      try locked { log, _ in
        let name = "\(log.count)"
        if request.validator == name { return .unmodified }
        var rows = log.rows.values.sorted { $0.number < $1.number }
        var gone: [String] = []
        if let cursor = request.cursor.flatMap({ Int($0) }) {
          rows.removeAll { $0.changed <= cursor }
          gone = log.gone.filter { $0.value > cursor }.map(\.key)
        }
        // Pages begin behind a row, so none moves from one to another.
        if let page = request.page.flatMap({ Int($0) }) { rows.removeAll { $0.number <= page } }
        let page = rows.prefix(pageSize)
        return .page(
          RemotePage(
            records: page.map(\.record), deletedIDs: gone,
            nextPage: page.count < rows.count ? page.last.map { "\($0.number)" } : nil, validator: name,
            cursor: tellsChanges ? name : nil))
      }
    }
  }

  func send(_ change: RemoteChange<NoteRecord>) async throws -> RemoteAnswer<NoteRecord> {
    let key = isForgetful ? "\(UniqueID())" : "\(change.idempotencyKey)"
    return try losing {
      try locked { log, write in
        if let answer = log.answers[key] { return answer }
        try write("\(key) " + Self.line(change, log))
        return log.answers[key] ?? .refused(reason: "it was not written")
      }
    }
  }

  private static func line(_ change: RemoteChange<NoteRecord>, _ log: NoteLog) -> String {
    guard let id = change.id, let row = log.rows[id] else {
      guard change.kind == .create, let record = change.record else { return "gone \(change.id ?? "-")" }
      return "create n\(log.count + 1) \(record.title) \(record.body)"
    }
    if change.kind == .delete { return "delete \(id)" }
    guard let record = change.record, record.version == row.record.version else { return "keep \(id)" }
    return "update \(id) \(record.body)"
  }

  private func losing<Answer>(_ body: () throws -> Answer) throws -> Answer {
    let fate = loses ? random.withLock { Int.random(in: 0..<8, using: &$0) } : 8
    if fate == 0 { throw RemoteError.unavailable(reason: "the request is lost", retryAfter: nil) }
    let answer = try body()
    if fate == 1 { throw RemoteError.unavailable(reason: "the answer is lost", retryAfter: nil) }
    return answer
  }

  // MARK: The file

  /// Nobody else reads or writes the file meanwhile.
  private func locked<Result>(
    _ body: (NoteLog, _ write: (String) throws -> Void) throws -> Result
  ) throws -> Result {
    let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Disk.Failure(operation: "open", path: path, code: errno) }
    defer { close(file) }
    while flock(file, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Disk.Failure(operation: "lock", path: path, code: errno) }
    }
    let log = NoteLog(try Disk.read(path))
    return try body(log) { line in
      // Behind what is left of a line whose writer was killed.
      let bytes = Array("\n\(line) ;".utf8)
      guard bytes.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == bytes.count else {
        throw Disk.Failure(operation: "write", path: path, code: errno)
      }
      log.add(line)
    }
  }
}

/// What a server was asked for, line by line, and the rows that it has by now.
final class NoteLog {
  struct Row {
    var record: NoteRecord
    let number: Int
    var changed: Int
  }

  private(set) var count = 0
  private(set) var rows: [String: Row] = [:]
  /// When rows were deleted.
  private(set) var gone: [String: Int] = [:]
  /// By idempotency key.
  private(set) var answers: [String: RemoteAnswer<NoteRecord>] = [:]
  /// What a client that sends each change once, in order, does not do.
  private(set) var problems: [String] = []
  private var lastMade: [Substring: Int] = [:]

  init(_ bytes: [UInt8]) {
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasSuffix(" ;") {
      add(String(line.dropLast(2)))
    }
  }

  func add(_ line: String) {
    count += 1
    let words = line.split(separator: " ")
    guard words.count > 2 else { return problems.append("unknown: \(line)") }
    let (key, id) = (String(words[0]), String(words[2]))
    switch words[1] {
    case "create" where words.count == 5: create(id, String(words[3]), Int(words[4]) ?? -1)
    case "update" where words.count == 4: update(id, to: Int(words[3]) ?? -1)
    case "remark" where words.count == 4: change(id) { $0.remark = Int(words[3]) ?? -1 }
    case "delete":
      rows[id] = nil
      gone[id] = count
    case "keep", "gone": break
    default: problems.append("unknown: \(line)")
    }
    guard key != "-" else { return }
    if answers[key] != nil { problems.append("made twice: \(line)") }
    answers[key] =
      switch words[1] {
      case "keep": rows[id].map { .changed($0.record) }
      case "gone": .gone
      default: .accepted(rows[id]?.record)
      }
  }

  private func create(_ id: String, _ title: String, _ body: Int) {
    // Client and number.
    let parts = title.split(separator: ".")
    let number = parts.last.flatMap { Int($0) } ?? 0
    if let last = lastMade[parts[0]], last >= number { problems.append("\(title) was made after \(last)") }
    lastMade[parts[0]] = number
    rows[id] = Row(record: NoteRecord(id: id, title: title, body: body), number: count, changed: count)
  }

  private func update(_ id: String, to body: Int) {
    if let row = rows[id], row.record.body >= body {
      problems.append("\(row.record.title) became \(body) after \(row.record.body)")
    }
    change(id) { $0.body = body }
  }

  private func change(_ id: String, _ body: (inout NoteRecord) -> Void) {
    guard var row = rows[id] else { return }
    body(&row.record)
    row.record.version += 1
    row.changed = count
    rows[id] = row
  }
}
