extension Restoration {
  /// Ends this `Restoration`, for example because its window is closed and may return, or to restore the scene again.
  ///
  /// Pending changes go to the journal. The archive and the drafts stay. The screens are released, and their nodes
  /// accept no more states. Another `Restoration` can then restore the scene. Calls of this one that need the scene
  /// throw ``RestorationError/ended(_:)``. A second call does nothing.
  ///
  /// If restore is running, it first makes the nodes that it has read, and then throws ``RestorationError/ended(_:)``.
  /// If restore still waits for the store or the scene, it makes no nodes.
  public func end() { end {} }

  /// - Parameter beforeRelease: Called when the screens are gone, and no other `Restoration` can have the scene yet.
  private func end(_ beforeRelease: () -> Void) {
    if currentScene.phase == .restoring { currentScene.endsWhenRestored = true }
    guard currentScene.phase == .registering || currentScene.phase == .restored else { return }
    if currentScene.phase == .restored, !currentScene.isReadOnly {
      do throws(RestorationError) { try saver.save() } catch { onProblem?(error) }
    }
    currentScene.breaker.end()
    currentScene.phase = .ended
    // The contexts of the screens release their drafts before the next owner of the scene asks for these.
    do {
      let screens = editor.removeAll()
      objects.removeAll()
      builder.forgetWaiting()
      reports.list([])
      saver.forgetUnkept()
      withExtendedLifetime(screens) {}
    }
    beforeRelease()
    currentScene.release(for: self)
  }

  /// Ends this `Restoration` and writes everything, because another one takes the scene over.
  package func letGo() {
    guard currentScene.phase == .restored else { return }
    let stores = currentScene.stores.all
    end { onTakeover?() }
    Task { for store in stores { try? await store.flush(durable: false) } }
  }
}
