extension Restoration {
  /// Lets go of the scene: of a window that is gone and may come back, or of one that is to be restored anew.
  ///
  /// What changed is handed to the journal, and the archive stays as it is, drafts too. Screens are let go; their nodes
  /// take no state any more. Another `Restoration` of the scene may restore then; this one refuses all calls that need
  /// it. A second call does nothing.
  public func end() {
    guard currentScene.phase == .registering || currentScene.phase == .restored else { return }
    if currentScene.phase == .restored, !currentScene.isReadOnly {
      do throws(RestorationError) { try saver.save() } catch { onProblem?(error) }
    }
    currentScene.breaker.end()
    currentScene.phase = .ended
    let screens = editor.removeAll()
    objects.removeAll()
    builder.forgetWaiting()
    reports.list([])
    saver.forgetUnkept()
    currentScene.release(for: self)
    withExtendedLifetime(screens) {}
  }

  /// Another takes the scene over: this one ends, and has everything written.
  package func letGo() {
    guard currentScene.phase == .restored else { return }
    let stores = currentScene.stores.all
    end()
    Task { for store in stores { try? await store.flush(durable: false) } }
    onTakeOver?()
  }
}
