import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote

/// The objects that a storm is about, each for one purpose.
enum StormCells {
  static let shared = 1000
  static let desks = 3
  static let panes = 24
  /// Each has a lane of four cells, which are inserted by the first to count.
  static let counters: [String: Int] = [
    "a1": 1001, "a2": 1002, "b1": 1003, "b2": 1004, "v0": 1005, "v1": 1006,
  ]
  static func desk(_ desk: Int) -> Int { 2000 + 2 * desk }
  static func sheet(_ desk: Int) -> Int { 2001 + 2 * desk }
  static func pane(_ scene: Int, _ pane: Int) -> Int { 3000 + 100 * scene + pane }
  static let scenes = 3
  /// The scenes that share a dial.
  static let dials = 4
  /// Those who edit rows of a server, and where each counts its saves.
  static let clients = ["s0": 4000, "s1": 4001, "s2": 4002, "s3": 4003, "s4": 4004, "s5": 4005]
  static let schema = Schema([Cell.self, Entry.self, Note.self] + RemoteModels.all)

  static func prepare(_ path: String, _ voice: Voice) async throws {
    try await withStore(path, for: schema) { store in
      let context = RootContext(store, isolation: nil)
      var lanes = [shared]
      for number in 0..<desks { lanes += [desk(number), sheet(number)] }
      for scene in 0..<scenes { for number in 0..<panes { lanes.append(pane(scene, number)) } }
      lanes += clients.values
      for lane in lanes { context.insert(Cell(lane: lane, place: 0)) }
      try await context.save("Prepare")
      try await Sharer.prepare(store, voice)
    }
    for counter in counters.keys { voice("is count/\(counter)=0") }
    for desk in 0..<desks { voice("is log/desk\(desk)=0,0 desk/desk\(desk)=0,0 sheet/desk\(desk)=0") }
    for client in clients.keys { voice("is notes/\(client)=0") }
    for scene in 0..<scenes {
      voice("is nodes/scene\(scene)=- panes/scene\(scene)=\([Int](repeating: 0, count: panes).joined)")
    }
  }

  static func cell(_ lane: Int, _ context: ObjectContext) throws -> Cell {
    guard let cell = try context.fetch(Fetch<Cell> { $0.lane == lane }).first else { throw Missing(lane: lane) }
    return cell
  }

  struct Missing: Error {
    let lane: Int
  }
}

extension [Int] {
  var joined: String { map(String.init).joined(separator: ",") }
}
