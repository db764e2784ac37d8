// Rules of attributes and of objects, and derived attributes, however they are written out.
import Foundation
import Reprise

public enum Colour: String, CaseAliasing {
  case red, green
  public static var caseAliases: [String: Colour] { ["crimson": .red] }
}

@Model public final class Traveller: ValidatableModel {
  @Attribute(.length(1...10), .pattern("[A-Z][a-z]*"), .indexed) public var first: String
  @Attribute(.valid("a name does not begin with a space") { (name: String) in name.first != " " }) var last: String
  @Attribute(.range(0...120), .counter, was: "years") private var age: Int?
  @Attribute(AttributeOption.range(0.0..<1)) var share: Double = 0.5
  @Attribute(.allowedValues(Colour.red, Colour.green)) var colour: Colour = .red
  @Attribute(.valid("it is even", Traveller.isEven)) var seat: Int = 0
  @Attribute(.range(Date.distantPast...)) var begins: Date
  @Attribute(.length(...1_000)) var photo: Data?
  @Attribute(.length(...5)) var languages: [String] = ["en"]
  public var miles: [String: Int] = [:]
  @Attribute var colours: [Colour] = [.red]
  @Attribute var others: Set<Colour>?
  var legs: [[Double?]]
  @Attribute(.derived, .unique(.ignoringCase), .searchable, was: "name") public var fullName: String {
    get { "\(first) \(last)" }
  }
  @Attribute(.derived, .allowedValues("a")) private var initial: String? { first.first.map(String.init) }

  init(_ first: String, _ last: String) {
    self.first = first
    self.last = last
    begins = .now
    legs = []
    languages.append("sv")
    miles["home", default: 0] += 1
  }

  static func isEven(_ number: Int) -> Bool { number.isMultiple(of: 2) }

  public func validate(_ violations: inout Violations<Traveller>) {
    if seat > 100 { violations.add("has no such seat", \.seat, \.begins) }
    if last == first { violations.add("has one name only", of: ["first", "last"]) }
  }
}

func use(_ traveller: Traveller, in context: EditingContext) throws {
  let data = try JSONEncoder().encode(traveller.snapshot)
  print(try JSONDecoder().decode(Traveller.Snapshot.self, from: data).fullName)
  print(try traveller["first"], traveller.changedProperties, traveller.context === context)
  try context.update(traveller, json: traveller.json(.only("first")), properties: .only("first"))
  print(try context.fetch(Fetch<Traveller> { $0.fullName == "Ada Byron" }).count)
}
