import RepriseEventStore
import RepriseObjectModel
import RepriseSystem

/// The restored scenes of this process, which are written when a signal ends it.
@MainActor enum LiveRestorations {
  private struct Place: Sendable {
    let owner: ObjectIdentifier
    weak var stores: EditedStores?
  }

  private static var all: [WeakReference] = []
  private static var limit = 8
  /// The stores of these scenes, for a thread that cannot wait for the main actor.
  nonisolated private static let places = Guarded<[Place]>([])
  private static var isWatching = false

  static func add(_ restoration: Restoration) {
    let isFull = all.append(restoration, limit: &limit)
    let stores = restoration.currentScene.stores
    places.withLock { places in
      if isFull { places.removeAll { $0.stores == nil } }
      places.append(Place(owner: ObjectIdentifier(restoration), stores: stores))
    }
  }

  /// Makes a signal that ends the process write all scenes first.
  static func flushOnTermination() {
    if isWatching { return }
    isWatching = true
    TerminationSignals.onArrival { flushAll() }
  }

  /// Writes all scenes. Runs on a separate thread, because the main actor may be busy.
  nonisolated private static func flushAll() {
    let isTaken = WakeUp()
    let ends = Guarded<[ObjectIdentifier: @Sendable () -> Void]>([:])
    Task { @MainActor in
      let taken = takeAll()
      ends.withLock { $0 = taken }
      isTaken.wake()
    }
    isTaken.wait(until: WakeUp.now() + 1_000_000_000)
    let taken = ends.withLock { $0 }
    // Edits in stores without a scene are written, too.
    for store in StoreRegistry.openStores { _ = StoreArchive(store).flushNow(cutsTurns: taken.isEmpty) }
    for place in places.withLock({ $0 }) {
      guard let stores = place.stores?.all else { continue }
      let flushed = stores.filter { $0.flushNow(cutsTurns: taken.isEmpty) }
      if flushed.count == stores.count { taken[place.owner]?() }
    }
  }

  /// Saves the states of all scenes.
  ///
  /// - Returns: Closures that note a clean end of each scene. Call them once the scenes are written.
  private static func takeAll() -> [ObjectIdentifier: @Sendable () -> Void] {
    let live = all.compactMap { $0.object as? Restoration }.filter(\.mayWrite)
    // All states are saved first, because a later change would prevent a clean end.
    let saved = live.filter { $0.saves() }
    for restoration in live { for store in restoration.currentScene.stores.all { store.endFrame() } }
    for store in StoreRegistry.openStores { StoreArchive(store).endFrame() }
    var ends: [ObjectIdentifier: @Sendable () -> Void] = [:]
    for restoration in saved {
      let scene = restoration.currentScene
      ends[ObjectIdentifier(restoration)] = scene.breaker.willEnd(scene.stores.all)
    }
    for restoration in saved { restoration.writePreviewNow() }
    return ends
  }
}

extension Restoration {
  /// Saves and flushes everything at SIGTERM, SIGHUP or SIGINT, before the process ends.
  ///
  /// At the signal, the states of all scenes of the process are saved, as ``save()`` does. Then all open stores are
  /// written. If the main actor is busy, the signal waits one second for it. Afterwards, the signal has its former
  /// effect, which in most programs ends the process. A second signal has that effect at once. As process 1 of a
  /// container, which signals do not end, the process exits with status 128 plus the number of the signal.
  ///
  /// One call is enough, also for scenes that are restored later. Without it, no more is lost than by a kill: the
  /// changes of the last 250 ms. Ignored signals stay ignored, as SIGHUP is under `nohup`. A handler that the program
  /// installs later replaces this one.
  public func flushOnTermination() { LiveRestorations.flushOnTermination() }

  fileprivate var mayWrite: Bool {
    currentScene.phase == .restored && !currentScene.isReadOnly && currentScene.storage.reasonNotToWrite == nil
  }

  fileprivate func saves() -> Bool {
    do throws(RestorationError) {
      try saver.save()
      return true
    } catch {
      onProblem?(error)
      return false
    }
  }

  fileprivate func writePreviewNow() {
    guard let preview = makePreview?() else { return }
    do throws(RestorationError) { _ = try writing(preview)() } catch { onProblem?(error) }
  }
}
