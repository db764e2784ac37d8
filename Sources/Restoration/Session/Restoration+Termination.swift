import RepriseEventStore
import RepriseObjectGraph
import RepriseSystem

/// The restored scenes of this process, which are written when a signal ends it.
enum LiveRestorations {
  private struct Place: Sendable {
    let scene: IsolatedReference
    weak var stores: EditedStores?
  }

  private static let places = Guarded<(all: [Place], limit: Int)>(([], 8))
  private static let isWatching = Guarded(false)

  static func add(_ restoration: Restoration) {
    let scene = restoration.currentScene
    let place = Place(scene: IsolatedReference(restoration, in: scene.isolation), stores: scene.stores)
    places.withLock { places in
      if places.all.count >= places.limit {
        places.all.removeAll { $0.scene.isGone }
        places.limit = max(8, places.all.count * 2)
      }
      places.all.append(place)
    }
  }

  /// Makes a signal that ends the process write all scenes first.
  static func flushOnTermination() {
    let isNew = isWatching.withLock { isWatching in
      defer { isWatching = true }
      return !isWatching
    }
    if isNew { TerminationSignals.onArrival { flushAll() } }
  }

  /// Writes all scenes. Runs on a separate thread, because the actors may be busy.
  private static func flushAll() {
    let places = places.withLock { $0.all }
    var isolations: [any Actor] = []
    for place in places {
      if let its = place.scene.isolation, !isolations.contains(where: { $0 === its }) { isolations.append(its) }
    }
    // The main actor may edit stores without a scene.
    if !isolations.contains(where: { $0 === MainActor.shared }) { isolations.append(MainActor.shared) }
    let isTaken = WakeUp()
    let taken = Guarded<(left: Int, ends: [ObjectIdentifier: @Sendable () -> Void])>((isolations.count, [:]))
    for isolation in isolations {
      ContextTurn.begin(on: isolation) {
        let ends = takeAll(places, in: isolation)
        let isLast = taken.withLock { taken in
          taken.ends.merge(ends) { $1 }
          taken.left -= 1
          return taken.left == 0
        }
        if isLast { isTaken.wake() }
      }
    }
    isTaken.wait(until: WakeUp.now() + 1_000_000_000)
    let (left, ends) = taken.withLock { ($0.left, $0.ends) }
    // Edits in stores without a scene are written, too.
    for store in StoreRegistry.openStores {
      let archive = StoreArchive(store)
      archive.cutFrame()
      _ = archive.flushNow(cutsTurns: left > 0)
    }
    for place in places {
      guard let stores = place.stores?.all else { continue }
      let flushed = stores.filter { $0.flushNow(cutsTurns: left > 0) }
      if flushed.count == stores.count { ends[ObjectIdentifier(place.scene)]?() }
    }
  }

  /// Saves the states of all scenes of an isolation.
  ///
  /// - Returns: Closures that note a clean end of each scene. Call them once the scenes are written.
  private static func takeAll(
    _ places: [Place], in isolation: any Actor
  ) -> [ObjectIdentifier: @Sendable () -> Void] {
    let live = places.compactMap { place in
      (place.scene.object(in: isolation) as? Restoration).map { (name: ObjectIdentifier(place.scene), scene: $0) }
    }.filter(\.scene.mayWrite)
    // All states are saved first, because a later change would prevent a clean end.
    let saved = live.filter { $0.scene.saves() }
    for (_, restoration) in live {
      for store in restoration.currentScene.stores.all { store.endFrame(in: isolation) }
    }
    for store in StoreRegistry.openStores { StoreArchive(store).endFrame(in: isolation) }
    var ends: [ObjectIdentifier: @Sendable () -> Void] = [:]
    for (name, restoration) in saved {
      let scene = restoration.currentScene
      ends[name] = scene.breaker.willEnd(scene.stores.all)
    }
    for (_, restoration) in saved { restoration.writePreviewNow() }
    return ends
  }
}

extension Restoration {
  /// Saves and flushes everything at SIGTERM, SIGHUP or SIGINT, before the process ends.
  ///
  /// At the signal, the states of all scenes of the process are saved, as ``save()`` does. Then all open stores are
  /// written. If actors are busy, the signal waits one second for them. Afterwards, the signal has its former
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
