import Reprise
import RepriseDirectories

struct File: Identifiable, Equatable {
  let id: Int
  var name: String
}

@MainActor final class Screen {
  var observation: ListObservation?
  var rows: [[Item.ID]] = []
  var title = Label()
  func update(_ changes: ListChanges) {}
  func reload() {}

  func show(_ list: FetchedList<Item>, _ context: RootContext) async throws {
    do {
      /*sample Sources/Lists/DataSource/ListBatch+Applying.swift*/
    }
    do {
      /*sample Sources/Lists/DataSource/ListRows.swift*/
    }
    do {
      /*sample Sources/Lists/Fetched/FetchedList.swift*/
    }
    do {
      /*sample Sources/Directories/DirectorySource.swift*/
    }
    /*sample Sources/Lists/DataSource/ListBatches.swift*/
  }
}

func sort(_ files: [File], created: File, renamed: File, deleted: File, observers: ListObservers) {
  /*sample Sources/Lists/Following/SortedRows.swift*/
}

struct Clock: Sendable { func onTick(_ body: @escaping @Sendable (Int) -> Void) {} }
let clock = Clock()

enum Refreshing {
  /*sample Sources/Lists/DataSource/RefreshableSource.swift with
  typealias Element = String
  func load() async throws {}*/
}

enum Following {
  /*sample Sources/Lists/Following/SourceFeed.swift with
  typealias Element = Int
  func show(_ seconds: Int) {}*/
}

// What the samples leave out of their sources.
extension DataSource {
  var readiness: Readiness { .ready }
  var sectionCount: Int { 0 }
  func sectionName(_ section: Int) -> String? { nil }
  func rowCount(inSection section: Int) -> Int { 0 }
  func element(at path: RowPath) -> Element { fatalError("There are no rows.") }
  func modelIdentifier(at path: RowPath) -> ModelIdentifier? { nil }
  func row(for identifier: ModelIdentifier) -> RowLookup { fatalError("There are no rows.") }
  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { fatalError("Nothing is observed.") }
}
