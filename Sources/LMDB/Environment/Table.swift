import CRepriseLMDB

/// A named B-tree of an environment. All tables are opened when the environment is, so a handle never goes stale
/// before `Environment.close()`. A handle is meaningless in another environment.
@frozen package struct Table: Sendable, Hashable {
  package let name: String
  package let dbi: MDB_dbi

  @usableFromInline init(name: String, dbi: MDB_dbi) {
    self.name = name
    self.dbi = dbi
  }
}
