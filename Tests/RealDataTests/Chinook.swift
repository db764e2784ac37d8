#if Macros
import Foundation
import Reprise
import XCTest

// The models of a store of music, as its database has them. Numbers are the keys of the data.

@Model final class Genre {
  @Attribute(.unique) var number: Int
  @Attribute(.indexed) var name: String?
  @Relationship(deleteRule: .nullify) var tracks: ToMany<Song>
  init(number: Int) { self.number = number }
}

@Model final class MediaType {
  @Attribute(.unique) var number: Int
  var name: String?
  @Relationship var tracks: ToMany<Song>
  init(number: Int) { self.number = number }
}

@Model final class Artist {
  @Attribute(.unique) var number: Int
  @Attribute(.indexed) var name: String?
  @Relationship(deleteRule: .cascade) var albums: ToMany<Album>
  init(number: Int) { self.number = number }
}

@Model final class Album {
  @Attribute(.unique) var number: Int
  var title: String
  @Relationship(inverse: \Artist.albums) var artist: Artist?
  @Relationship(deleteRule: .cascade) var tracks: ToMany<Song>
  init(number: Int, title: String) {
    self.number = number
    self.title = title
  }
}

@Model final class Song {
  @Attribute(.unique) var number: Int
  @Attribute(.indexed) var name: String
  @Relationship(inverse: \Album.tracks) var album: Album?
  @Relationship(inverse: \MediaType.tracks) var mediaType: MediaType?
  @Relationship(inverse: \Genre.tracks) var genre: Genre?
  @Attribute(.indexed) var composer: String?
  @Attribute(.indexed) var milliseconds: Int
  var bytes: Int?
  var unitPrice: Double
  var playlists: ToMany<Playlist>
  /// What was sold is not taken out of the shop.
  @Relationship(deleteRule: .deny) var invoiceLines: ToMany<InvoiceLine>
  init(number: Int, name: String) {
    self.number = number
    self.name = name
    milliseconds = 0
    unitPrice = 0
  }
}

@Model final class Employee {
  @Attribute(.unique) var number: Int
  var lastName: String
  var firstName: String
  @Relationship(inverse: \Employee.reports) var reportsTo: Employee?
  @Relationship(deleteRule: .nullify) var reports: ToMany<Employee>
  @Relationship(deleteRule: .nullify) var customers: ToMany<Customer>
  init(number: Int, lastName: String, firstName: String) {
    self.number = number
    self.lastName = lastName
    self.firstName = firstName
  }
}

@Model final class Customer {
  #Index<Customer>([\.lastName, \.firstName])
  @Attribute(.unique) var number: Int
  var firstName: String
  var lastName: String
  @Relationship(inverse: \Employee.customers) var supportRep: Employee?
  @Relationship(deleteRule: .cascade) var invoices: ToMany<Invoice>
  init(number: Int, firstName: String, lastName: String) {
    self.number = number
    self.firstName = firstName
    self.lastName = lastName
  }
}

@Model final class Invoice {
  @Attribute(.unique) var number: Int
  @Relationship(inverse: \Customer.invoices) var customer: Customer?
  var date: String
  var total: Double
  @Relationship(deleteRule: .cascade) var lines: ToMany<InvoiceLine>
  init(number: Int, date: String, total: Double) {
    self.number = number
    self.date = date
    self.total = total
  }
}

@Model final class InvoiceLine {
  #Unique<InvoiceLine>([\.invoice, \.track])
  @Attribute(.unique) var number: Int
  @Relationship(inverse: \Invoice.lines) var invoice: Invoice?
  @Relationship(inverse: \Song.invoiceLines) var track: Song?
  var unitPrice: Double
  var quantity: Int
  init(number: Int, unitPrice: Double, quantity: Int) {
    self.number = number
    self.unitPrice = unitPrice
    self.quantity = quantity
  }
}

@Model final class Playlist {
  @Attribute(.unique) var number: Int
  var name: String?
  @Relationship(inverse: \Song.playlists) var tracks: OrderedToMany<Song>
  init(number: Int) { self.number = number }
}

/// Models by whose numbers objects are found.
protocol Numbered: PersistentModel {
  var number: Int { get }
}

extension Genre: Numbered {}
extension Album: Numbered {}
extension Song: Numbered {}
extension Customer: Numbered {}
extension Invoice: Numbered {}
extension Playlist: Numbered {}

/// Inserts the objects of the data into a context. Parents come before children there.
struct ChinookReader {
  let context: EditingContext
  private var genres: [String: Genre] = [:]
  private var mediaTypes: [String: MediaType] = [:]
  private var artists: [String: Artist] = [:]
  private var albums: [String: Album] = [:]
  private var songs: [String: Song] = [:]
  private var employees: [String: Employee] = [:]
  private var customers: [String: Customer] = [:]
  private var invoices: [String: Invoice] = [:]
  private var bosses: [(Employee, String)] = []

  init(_ context: EditingContext) { self.context = context }

  mutating func read() throws {
    for case let line as [Any] in try DataFile("chinook/objects.jsonl.gz").lines() {
      let entity = try XCTUnwrap(line[0] as? String)
      let key = try XCTUnwrap(line[1] as? String)
      try insert(entity, key, try XCTUnwrap(line[2] as? [String: Any]))
    }
    for (employee, boss) in bosses { employee.reportsTo = employees[boss] }
  }

  /// The keys of a playlist's songs, in its order.
  static func tracks(_ playlist: [String: Any]) -> [String] { playlist["tracks"] as? [String] ?? [] }

  private mutating func insert(_ entity: String, _ key: String, _ values: [String: Any]) throws {
    func text(_ name: String) -> String? { values[name] as? String }
    func required(_ name: String) throws -> String { try XCTUnwrap(text(name), "\(entity) \(key).\(name)") }
    func double(_ name: String) throws -> Double { try XCTUnwrap(values[name] as? Double) }
    let number = try XCTUnwrap(values["id"] as? Int)
    switch entity {
    case "Genre":
      genres[key] = context.insert(Genre(number: number))
      genres[key]?.name = text("name")
    case "MediaType":
      mediaTypes[key] = context.insert(MediaType(number: number))
      mediaTypes[key]?.name = text("name")
    case "Artist":
      artists[key] = context.insert(Artist(number: number))
      artists[key]?.name = text("name")
    case "Album":
      let album = context.insert(Album(number: number, title: try required("title")))
      album.artist = artists[try required("artist")]
      albums[key] = album
    case "Track":
      let song = context.insert(Song(number: number, name: try required("name")))
      song.album = text("album").flatMap { albums[$0] }
      song.mediaType = mediaTypes[try required("mediaType")]
      song.genre = text("genre").flatMap { genres[$0] }
      song.composer = text("composer")
      song.milliseconds = try XCTUnwrap(values["milliseconds"] as? Int)
      song.bytes = values["bytes"] as? Int
      song.unitPrice = try double("unitPrice")
      songs[key] = song
    case "Employee":
      let employee = context.insert(
        Employee(number: number, lastName: try required("lastName"), firstName: try required("firstName")))
      employees[key] = employee
      if let boss = text("reportsTo") { bosses.append((employee, boss)) }
    case "Customer":
      let customer = context.insert(
        Customer(number: number, firstName: try required("firstName"), lastName: try required("lastName")))
      customer.supportRep = text("supportRep").flatMap { employees[$0] }
      customers[key] = customer
    case "Invoice":
      let invoice = context.insert(
        Invoice(number: number, date: try required("invoiceDate"), total: try double("total")))
      invoice.customer = customers[try required("customer")]
      invoices[key] = invoice
    case "InvoiceLine":
      let line = context.insert(
        InvoiceLine(
          number: number, unitPrice: try double("unitPrice"), quantity: try XCTUnwrap(values["quantity"] as? Int)))
      line.invoice = invoices[try required("invoice")]
      line.track = songs[try required("track")]
    case "Playlist":
      let playlist = context.insert(Playlist(number: number))
      playlist.name = text("name")
      playlist.tracks.append(contentsOf: try Self.tracks(values).map { try XCTUnwrap(songs[$0]) })
    default: XCTFail("an unknown entity: \(entity)")
    }
  }
}
#endif
