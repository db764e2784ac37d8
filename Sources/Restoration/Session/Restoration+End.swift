extension Restoration {
  /// Lets go of the scene: of a window that is gone and may come back, or of one that is to be restored anew.
  ///
  /// What changed is handed to the journal, and the archive stays as it is, drafts too. Screens are let go; their nodes
  /// take no state any more. Another `Restoration` of the scene may restore then; this one refuses all calls that need
  /// it. A second call does nothing.
  public func end() {
    guard phase == .registering || phase == .restored else { return }
    if phase == .restored {
      do throws(RestorationError) { try saveNow() } catch { onProblem?(error) }
    }
    phase = .ended
    for entry in objects.values {
      entry.late?.cancel()
      entry.node?.moved(to: nil)
    }
    var screens: [AnyObject] = []
    for root in tree.children(of: nil) {
      for entry in tree.subtree(of: root) {
        entry.status = .closed
        if let screen = entry.screen { screens.append(screen) }
        unmake(entry)
      }
    }
    (objects, waiting, waitingForKind, referredTo) = ([:], [:], [:], [:])
    (reported, unkept, finishing, undecoded) = ([], [], [], [])
    tree = NodeTree()
    if isClaimed { storage.release(scene, for: self) }
    withExtendedLifetime(screens) {}
  }
}
