import Foundation

/// A server that keeps its commits as in production, in memory where the system allows. A test can kill it, and make a
/// standby of it.
final class LogServer {
  let name: String
  private let folder: String
  private var process: Process?
  private var settings: [String: String]
  /// The machine of the server. `nil` for this one.
  private let place: ServerNetwork.Place?

  /// Where the server is, in libpq's words.
  var connection: String { "host=\(folder) port=\(settings["port"] ?? "5432") user=reprise dbname=postgres" }

  /// A port of this machine that nobody uses.
  static func freePort() -> Int {
    let end = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(end) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        _ = bind(end, pointer, length)
        _ = getsockname(end, pointer, &length)
      }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Both servers, in libpq's words.
  func connection(or other: LogServer) -> String { "host=\(folder),\(other.folder) user=reprise dbname=postgres" }

  /// Where other machines find both servers, in libpq's words.
  func network(or other: LogServer) -> String {
    guard let place, let otherPlace = other.place else { return connection(or: other) }
    return "host=\(place.address),\(otherPlace.address) user=reprise dbname=postgres connect_timeout=2"
  }

  /// - settings: Changes of the server's settings.
  /// - place: A machine whose other ones reach the server. The test reaches it through its socket.
  init(_ name: String = "a", _ settings: [String: String] = [:], at place: ServerNetwork.Place? = nil) throws {
    self.name = name
    self.place = place
    let defaults = [
      "fsync": "on", "max_connections": "50", "shared_buffers": "16MB", "wal_keep_size": "64MB",
      "wal_receiver_status_interval": "1", "wal_retrieve_retry_interval": "100ms", "unix_socket_directories": "",
      "listen_addresses": place?.address ?? "", "dynamic_shared_memory_type": "mmap",
    ]
    self.settings = defaults.merging(settings) { _, new in new }
    let memory = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
    folder = memory + "/reprise-pg-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if getuid() == 0 { chown(folder, 65_534, 65_534) }
    chmod(folder, 0o700)
    self.settings["unix_socket_directories"] = folder
  }

  deinit {
    kill()
    removeData()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Removes the database, and the segment of shared memory that a killed server leaves.
  private func removeData() {
    let text = (try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.count > 6, let segment = lines[6].split(separator: " ").last.flatMap({ Int32($0) }) {
      shmctl(segment, IPC_RMID, nil)
    }
    try? FileManager.default.removeItem(atPath: data)
  }

  private var data: String { folder + "/data" }

  private func check(_ program: String, _ arguments: [String]) throws {
    let process = try TestServer.launch(program, arguments, through: place?.launcher ?? [])
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestServer.Failure(description: "\(program) ended with \(process.terminationStatus)")
    }
  }

  /// A new database, with the user `reprise`.
  func initialise(_ options: [String] = ["-A", "trust"]) throws {
    try check("initdb", ["-D", data, "-U", "reprise", "--no-sync", "-E", "UTF8"] + options)
    if place == nil { return }
    let rules = "local all all trust\nhost all all samenet trust\nhost replication all samenet trust\n"
    try rules.write(toFile: data + "/pg_hba.conf", atomically: false, encoding: .utf8)
  }

  /// A standby of another server, with this one's name.
  func copy(_ primary: LogServer) throws {
    removeData()
    let source = primary.place.map { "host=\($0.address) user=reprise dbname=postgres" } ?? primary.connection
    try check(
      "pg_basebackup",
      ["-D", data, "-R", "-c", "fast", "--no-sync", "-d", source + " application_name=\(name)"])
  }

  /// Starts, and waits until the server answers.
  func start() throws {
    let options = settings.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
    process = try TestServer.launch("postgres", ["-D", data] + options, through: place?.launcher ?? [])
    while (try? answer("SELECT 1")) == nil {
      guard process?.isRunning == true else { throw TestServer.Failure(description: "the server does not start") }
      usleep(20_000)
    }
  }

  /// The ID of the server's main process, and of all its other ones.
  private var processes: [pid_t] {
    guard let process, process.isRunning else { return [] }
    let main = process.processIdentifier
    let children = try? String(contentsOfFile: "/proc/\(main)/task/\(main)/children", encoding: .utf8)
    return [main] + (children ?? "").split(separator: " ").compactMap { pid_t($0) }
  }

  /// Sends a signal to all processes of the server.
  func signal(_ number: Int32) {
    for process in processes { Foundation.kill(process, number) }
  }

  /// Ends all processes at once, as a crash does.
  func kill() {
    signal(SIGKILL)
    process?.waitUntilExit()
    process = nil
  }

  func promote() throws {
    try execute("SELECT pg_promote()")
  }

  /// Waits only for these standbys from now on.
  func setStandbys(_ names: String) throws {
    try execute("ALTER SYSTEM SET synchronous_standby_names = '\(names)'")
    try execute("SELECT pg_reload_conf()")
    while try answer("SHOW synchronous_standby_names") != names { usleep(5_000) }
  }

  /// Waits until a session waits for a standby. Returns whether one did within some seconds.
  func hasBlockedCommit() throws -> Bool {
    for _ in 0..<200 {
      if try answer("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") != "0" { return true }
    }
    return false
  }

  /// Asks this role for a password.
  func requirePassword(of role: String) throws {
    let rules = "local all \(role) scram-sha-256\nlocal all all trust\nlocal replication all trust\n"
    try rules.write(toFile: data + "/pg_hba.conf", atomically: false, encoding: .utf8)
    try execute("SELECT pg_reload_conf()")
    while try answer("SELECT count(*) FROM pg_hba_file_rules WHERE auth_method = 'scram-sha-256'") != "1" {
      usleep(5_000)
    }
  }

  func execute(_ sql: String, in database: String? = nil) throws { _ = try answer(sql, in: database) }

  /// The first value of an answer, as another program gets it: with psql, without waiting for a standby.
  @discardableResult func answer(_ sql: String, in database: String? = nil) throws -> String {
    let pipe = Pipe()
    let words = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d"]
    let place = connection + (database.map { " dbname=\($0)" } ?? "")
    let text = place + " options='-c synchronous_commit=local -c statement_timeout=0' connect_timeout=2"
    let psql = try TestServer.launch("psql", words + [text, "-c", sql], output: pipe)
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    psql.waitUntilExit()
    if psql.terminationStatus != 0 { throw TestServer.Failure(description: "psql: \(sql)") }
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
