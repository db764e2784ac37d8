import Foundation

/// Machines in network namespaces of their own, with a switch in one more. Needs the rights of root.
final class ServerNetwork {
  /// A machine.
  struct Place {
    let namespace: String
    let address: String
    /// The words that begin a program there.
    var launcher: [String] { ["/usr/bin/env", "ip", "netns", "exec", namespace] }
  }

  private let prefix = "reprise-\(UInt32.random(in: 0 ... .max))-"
  private var places: [String: Place] = [:]
  private var hub: String { prefix + "hub" }

  init() throws {
    do {
      try Self.ip("netns", "add", hub)
      try Self.ip("-n", hub, "link", "add", "name", "switch", "type", "bridge")
      try Self.ip("-n", hub, "link", "set", "dev", "switch", "up")
      _ = try place("probe")
    } catch {
      remove()
      throw error
    }
  }

  deinit { remove() }

  /// Removes the namespaces, and with them their interfaces. End the processes there before.
  private func remove() {
    for namespace in places.values.map(\.namespace) + [hub] { try? Self.ip("netns", "del", namespace) }
    places = [:]
  }

  /// The machine with a name, which is made at its first use.
  func place(_ name: String) throws -> Place {
    if let place = places[name] { return place }
    let place = Place(namespace: prefix + name, address: "10.99.0.\(places.count + 1)")
    places[name] = place
    try Self.ip("netns", "add", place.namespace)
    try Self.ip(
      "-n", hub, "link", "add", "name", name, "type", "veth", "peer", "name", "eth0", "netns", place.namespace)
    try Self.ip("-n", hub, "link", "set", "dev", name, "master", "switch", "up")
    try Self.ip("-n", place.namespace, "address", "add", place.address + "/24", "dev", "eth0")
    try Self.ip("-n", place.namespace, "link", "set", "dev", "eth0", "up")
    return place
  }

  /// Loses all packets between two machines, without a word to either.
  func cut(_ one: String, _ other: String) throws {
    // Nobody has this hardware address.
    let nowhere = ["lladdr", "02:00:00:00:00:01", "dev", "eth0", "nud", "permanent"]
    for (from, to) in [(try place(one), try place(other)), (try place(other), try place(one))] {
      try Self.ip(["-n", from.namespace, "neigh", "replace", to.address] + nowhere)
    }
  }

  func heal(_ one: String, _ other: String) throws {
    for (from, to) in [(try place(one), try place(other)), (try place(other), try place(one))] {
      try Self.ip("-n", from.namespace, "neigh", "del", to.address, "dev", "eth0")
    }
  }

  private static func ip(_ words: String...) throws { try ip(words) }

  private static func ip(_ words: [String]) throws {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ip"] + words
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let reason = text.trimmingCharacters(in: .whitespacesAndNewlines)
      throw TestServer.Failure(description: "ip \(words.joined(separator: " ")): \(reason)")
    }
  }
}
