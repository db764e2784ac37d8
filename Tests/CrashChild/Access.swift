import RepriseEventStore
import RepriseObjectGraph

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Who may read the files of a store, whatever the process's mask says.
enum Access {
  static func run(_ path: String) async throws {
    for mask in [0o000, 0o022, 0o077] as [mode_t] {
      umask(mask)
      try await make("\(path)-\(mask)", .owner, directory: 0o700, file: 0o600)
      try await make("\(path)-\(mask)-group", .group, directory: 0o2770, file: 0o660)
    }
    say("looked")
  }

  private static func make(_ path: String, _ access: StoreAccess, directory: mode_t, file: mode_t) async throws {
    var options = options()
    options.access = access
    let store = try Store.openNow(path, for: schema, options)
    let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
    try Lane.edit(1, to: 1, renewing: true, in: desk)
    try store.journal.flush()
    for name in ["", "/journals"] { expect(directory, path + name) }
    for name in ["/data.mdb", "/lock.mdb"] { expect(file, path + name) }
    for name in Disk.names(in: path + "/journals") { expect(0o600, "\(path)/journals/\(name)") }
    try await store.close()
    // A lock file that is made later is for those whom the store is for, whoever makes it.
    try Disk.remove(path + "/lock.mdb")
    options.access = .owner
    try await Store.openNow(path, for: schema, options).close()
    expect(file, path + "/lock.mdb")
  }

  private static func expect(_ mode: mode_t, _ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return problem("\(path) is not there") }
    let found = status.st_mode & 0o7777
    if found != mode { problem("\(path) has the mode \(String(found, radix: 8)), not \(String(mode, radix: 8))") }
  }
}
