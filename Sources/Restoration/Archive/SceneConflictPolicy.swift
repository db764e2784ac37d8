/// How `restore` proceeds if another `Restoration`, in this process or another, holds the scene.
public enum SceneConflictPolicy: Hashable, Sendable {
  /// `restore` throws `RestorationError.sceneInUse`.
  case refuse
  /// `restore` restores the state that the holder has written so far, and this `Restoration` writes nothing.
  ///
  /// Changed states stay in this `Restoration` and end with it. Nodes whose own contexts the holder uses are not made.
  case readOnly
  /// `restore` asks the holder to end, then restores the scene.
  ///
  /// A holder in this process ends at once, as by `end()`. A holder in another process ends only if it has set
  /// `onTakeover`. `restore` then waits until the holder has written everything, for at most five seconds. If the
  /// holder does not end within that time, it keeps the scene, and `restore` throws `RestorationError.sceneInUse`.
  case takeOver
}
