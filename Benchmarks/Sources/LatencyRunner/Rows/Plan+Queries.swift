extension Plan {
  /// Fetches, counts and places, of 100k objects unless the name says another number.
  var queryRows: [Row] {
    [
      query("first50.half", "50 first by date of those with a value that half of them have, as live objects"),
      query("first50.onePercent", "the same, one in a hundred matches", samples: .slow),
      query("first50.half.property", "the 50 first with that half, as IDs with one property"),
      query("first50.onePercent.property", "the same, one in a hundred matches", samples: .slow),
      query("first50.pending", "the 50 first with that half beside 10,000 pending edits of values", writes: true),
      query("first50.pendingOther", "the same beside 10,000 pending objects of another model", writes: true),
    ]
      + sized("prefix50", upTo: 1, "50 first by name of those whose names begin with a letter")
      + [
        query("all.objects", "all by date, as live objects", samples: .slowest),
        query("all.ids", "the same as IDs alone", samples: .slow),
        query("top50.unindexed", "50 first by an attribute without index", samples: .slow),
        query("in100", "the objects with one of 100 names", samples: .slow),
        query("or", "those in a range of dates or with a beginning of names, 650, by date", samples: .slow),
        query("sum.grouped", "sums of an attribute by its 10,000 values", samples: .slow),
        query("search", "50 first of the tasks whose texts have two words", content: .tasks),
        query("compound", "50 of the open tasks by due date, from the middle", content: .tasks),
      ]
      + sized("count.range", upTo: 2, "how many have dates in a range, a quarter of all on average")
      + sized("rank", upTo: 2, "place of an object in the order of dates")
      + sized("nth", upTo: 2, "the object at a place in the order of dates")
  }

  private func query(
    _ name: String, _ meaning: String, size: String = "", objects: Int = 100_000, samples: Question.Samples = .fast,
    writes: Bool = false, content: StoreShape.Content = .items
  ) -> Row {
    Row(
      name: "query.\(name)\(size)", unit: .microseconds, meaning: meaning,
      work: .asked(
        StoreShape(objects: objects, content: content),
        Question(subject: .query, name: name, samples: samples, writes: writes)))
  }

  /// With 100k objects and, in a full run, with 1M and 10M.
  private func sized(_ name: String, upTo last: Int, _ meaning: String) -> [Row] {
    let larger = [(".1M", 1_000_000, Question.Samples.fast), (".10M", 10_000_000, .slow)]
    return [query(name, meaning)]
      + (profile == .quick ? [] : larger.prefix(last)).map { size, objects, samples in
        query(name, "the same of \(size.dropFirst())", size: size, objects: objects, samples: samples)
      }
  }
}
