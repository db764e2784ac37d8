/// What `restore` does about a scene that another `Restoration` has, in this process or another.
public enum SceneConflict: Hashable, Sendable {
  /// Throws `sceneInUse`.
  case refuse
  /// Restores what the other has written so far, and writes nothing: changes of states stay in this `Restoration`, and
  /// end with it. Nodes whose own contexts the other has are not made.
  case readOnly
  /// Lets the other `Restoration` end, and restores what it had. In this process it ends as by `end()`, at once.
  /// Another process is asked: if it has set `onTakeOver`, it ends there as well, and this waits until everything is
  /// written, up to five seconds. One that does not answer in time keeps its scene, and `sceneInUse` is thrown: nothing
  /// is taken from a process that might still write.
  case takeOver
}
