import RepriseLog
import RepriseObjectModel
import RepriseTestSeeds

/// Random changes of a few objects, as bodies and in slots.
open class ChangeTestCase: RecordTestCase {
  package typealias Values = ContiguousArray<PropertyValue>

  package var id: AnyObjectID { AnyObjectID(LogSample.entity.interned, LogFixture.object(1)) }

  /// The body of a change, with splices where they save enough.
  package func body(_ change: ObjectChange, of uuid: UniqueID = LogFixture.object(1), isSpliced: Bool = false)
    -> [UInt8]
  {
    let object = ObjectAddress(entity: entity.number, uuid: uuid)
    var writer = ByteWriter()
    switch change {
    case .inserted(let values):
      writer.change(.inserted, object)
      writer.fields(values, entity, map)
    case .deleted(let values):
      writer.change(.deleted, object)
      writer.fields(values, entity, map)
    case .updated(let changes):
      writer.change(.updated, object)
      for change in changes.sorted(by: { entity.numbers[$0.slot] < entity.numbers[$1.slot] }) {
        let number = entity.numbers[change.slot]
        bytes(change.old, change.slot).withUnsafeBytes { old in
          bytes(change.new, change.slot).withUnsafeBytes { new in
            if isSpliced { return writer.field(number, from: old, to: new) }
            writer.field(number, .set(old: old, new: new))
          }
        }
      }
    }
    return writer.bytes
  }

  /// As the log has a value: none for a null that a record leaves out.
  private func bytes(_ value: PropertyValue, _ slot: Int) -> [UInt8] {
    if value.isNull, entity.defaults[slot].isNull { return [] }
    var writer = ByteWriter()
    writer.value(value, map)
    return writer.bytes
  }

  package func text(_ random: inout SeededGenerator) -> String {
    let start = ["", "Chair", "Ä long and winding title of something, ", "Chair \u{1F4BA} "].randomElement(
      using: &random)!
    return start + String(random.next() % 100, radix: 2) + ["\u{E9}", "e\u{301}"].randomElement(using: &random)!
  }

  package func value(_ slot: Int, _ random: inout SeededGenerator) -> PropertyValue {
    let isOptional = entity.entity.properties[slot].attribute?.isOptional ?? true
    if isOptional, random.next() % 3 == 0 { return .null }
    switch slot {
    case LogSample.title, LogSample.note: return .string(text(&random))
    case LogSample.isDone: return .bool(Bool.random(using: &random))
    case LogSample.count: return .int([7, -1, 1 << 40].randomElement(using: &random)!)
    case LogSample.big: return .unsigned([5, .max].randomElement(using: &random)!)
    case LogSample.ratio: return .double([0.0, -0.0, .nan].randomElement(using: &random)!)
    case LogSample.blob: return .bytes(Array(repeating: 3, count: Int(random.next() % 40)) + [UInt8(random.next() % 3)])
    case LogSample.token: return .uuid(LogFixture.object(random.next() % 3))
    default: return .reference(AnyObjectID(LogSample.entity.interned, LogFixture.object(random.next() % 3)))
    }
  }

  package func values(_ random: inout SeededGenerator) -> Values {
    var values = entity.defaults
    for stored in entity.stored { values[stored.slot] = value(stored.slot, &random) }
    return values
  }

  /// With other values in some slots.
  package func changed(_ values: Values, _ random: inout SeededGenerator) -> Values {
    var changed = values
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let slot = entity.stored.randomElement(using: &random)!.slot
      changed[slot] = value(slot, &random)
    }
    return changed
  }
}
