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
/// The calls of one connection do not overlap, except ``detach()``. Any call may throw an error of the adapter, such as
/// a lost connection. The store then calls ``attach(to:)`` again, after 20 milliseconds to one second. An error of
/// ``append(_:after:)`` means that this call has not put the packet into the log, and will not.
///
/// `LogTransportConformance` of `RepriseTesting` checks an adapter.
public protocol LogTransport: Sendable {
  /// Connects to the log, and makes it if it does not exist. Called again after each lost connection.
  ///
  /// - Parameter log: The ID of the log, which all servers have in their stores. One system may keep several logs.
  func attach(to log: UniqueID) async throws -> LogStanding

  /// Appends a packet behind a place, unless other packets follow the place.
  ///
  /// - Throws: Any error, see above. ``PacketError/tooLarge(bytes:)`` if the log can never keep the packet.
  func append(_ packet: LogPacket, after place: LogPlace) async throws -> AppendAnswer

  /// Reads packets.
  ///
  /// - Parameters:
  ///   - place: The last packet that the reader has.
  ///   - limit: The most packets. The adapter may return fewer, for example to limit their size, but at least one if
  ///     there is one.
  func read(after place: LogPlace, limit: Int) async throws -> LogReading

  /// A new stream of hints. After an element, the log may have new packets. Elements may be missing, and may come in
  /// vain. The stream ends when the connection is lost. The store also looks for packets four times a second.
  func hints() -> AsyncStream<Void>

  /// Waits for the turn of this server to append, but not longer than 200 milliseconds.
  ///
  /// Turns only make servers faster that save at the same time, because they lose fewer races. A server takes turns
  /// after it has lost a race, and also appends without a turn. If possible, the adapter lets the appends of other
  /// servers wait during a turn, but not longer than 200 milliseconds. The default implementation returns false.
  ///
  /// - Returns: Whether the server has its turn. If it does, ``endTurn()`` follows, or the connection is lost.
  func takeTurn() async throws -> Bool

  /// Gives the turn to the next server. The default implementation does nothing.
  func endTurn() async throws

  /// Removes the packets up to a place, because all servers can begin after it. Does nothing if the log does not have
  /// the place.
  func release(upTo place: LogPlace) async throws

  /// Ends the connection, because the store was closed. A later ``attach(to:)`` connects again.
  ///
  /// Another call may be under way. It then ends soon, with an error or ``AppendAnswer/unknown``.
  func detach() async
}

extension LogTransport {
  /// Returns false.
  public func takeTurn() async throws -> Bool { false }

  /// Does nothing.
  public func endTurn() async throws {}
}

/// The answer to ``LogTransport/append(_:after:)``.
public enum AppendAnswer: Sendable {
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
public enum LogReading: Sendable {
  /// The packets after the place. None if it is the last one.
  case packets(LogPage)
  /// The packets after the place were released. The server needs a copy of a store that is at the given place or later.
  case beforeFirst(LogPlace)
  /// The log has another packet at the place, or another epoch.
  case diverged
}
