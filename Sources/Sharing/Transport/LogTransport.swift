import RepriseObjectModel

/// The connection of one server to a shared log: a system that orders packets and keeps them on several machines.
///
/// A log has packets 1, 2, 3 …, each behind its predecessor. Several servers append at the same time, and none may lose
/// or double a save. So an adapter must keep these promises:
///
/// 1. If several appends follow the same place, one is accepted. Each other one gets ``AppendAnswer/behind(_:)``, with
///    the packets that it lacks.
/// 2. An append of a packet that the log has gets ``AppendAnswer/duplicate(_:)``. This holds after a failure of the
///    leader, and for at least seven days after the packet was released.
/// 3. ``AppendAnswer/appended(_:)`` and ``AppendAnswer/duplicate(_:)`` mean that no failure of the leader can lose the
///    packet. A packet that was found after a lost answer is not yet known to be so safe.
/// 4. ``read(after:limit:)``, ``AppendAnswer/behind(_:)`` and ``LogStanding`` have only packets that are so safe.
/// 5. If the adapter does not know whether a packet is in the log, the answer is ``AppendAnswer/unknown``. The server
///    then appends the same packet again.
/// 6. If the log has another packet at a place, or another epoch, the answer is `diverged`.
///
/// The calls of one connection do not overlap. Any call may throw an error of the adapter, such as a lost connection.
/// An error of ``append(_:after:)`` means that the packet is not in the log, and will not be.
package protocol LogTransport: Sendable {
  /// Connects to the log, and makes it if it does not exist.
  ///
  /// - Parameter log: The ID of the log, as ``LogPacket`` has it. One system may keep several logs.
  func attach(to log: UniqueID) async throws -> LogStanding

  /// Appends a packet behind a place, unless other packets follow the place.
  func append(_ packet: LogPacket, after place: LogPlace) async throws -> AppendAnswer

  /// Reads packets.
  ///
  /// - Parameter limit: The most packets. The adapter may return fewer, for example to limit their size, but at least
  ///   one if there is one.
  func read(after place: LogPlace, limit: Int) async throws -> LogReading

  /// After an element, the log may have new packets. Elements may be missing, and may come in vain. The stream ends
  /// when the connection is lost.
  var hints: AsyncStream<Void> { get }

  /// Removes the packets up to a place, because all servers can begin after it.
  func release(upTo place: LogPlace) async throws
}

/// The answer to ``LogTransport/append(_:after:)``.
package enum AppendAnswer: Sendable {
  /// The packet is in the log.
  case appended(LogPlace)
  /// The packet was in the log before, for example because an answer was lost.
  case duplicate(LogPlace)
  /// Other packets follow the place, so the packet is not in the log. The page has the first of them.
  case behind(LogPage)
  /// The packets after the place were released. The server needs a copy of a store that is at the given place or later.
  case beforeFirst(LogPlace)
  /// The log has another packet at the place, or another epoch. It was restored from a backup, and must not be
  /// continued from this place.
  case diverged
  /// The packet may or may not be in the log.
  case unknown
}

/// The answer to ``LogTransport/read(after:limit:)``.
package enum LogReading: Sendable {
  /// The packets after the place. None if it is the last one.
  case packets(LogPage)
  /// The packets after the place were released. The server needs a copy of a store that is at the given place or later.
  case beforeFirst(LogPlace)
  /// The log has another packet at the place, or another epoch.
  case diverged
}
