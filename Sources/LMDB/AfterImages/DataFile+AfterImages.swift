extension ImagePlaces {
  /// Finds the places in a file without mapping it. `nil` if the file has no row for them.
  init?(_ file: borrowing DataFile, _ meta: MetaPage) throws(StorageError) {
    guard let (page, node) = try file.node(Self.key, in: Self.table, meta), node.flags == Page.Node.big,
      node.size == UInt(Self.size)
    else { return nil }
    let first = page.pageNumber(at: node.value.lowerBound)
    guard first >= 2, first <= meta.lastPage, let overflow = try file.page(first, size: meta.pageSize) else {
      return nil
    }
    self.init(overflow, first)
  }

  /// `nil` unless the page with this number is the first of a value of this size.
  init?(_ page: Page, _ number: UInt) {
    let count = (DataFile.pageHeaderSize + Self.size + page.bytes.count - 1) / page.bytes.count
    guard page.number == number, page.flags == Page.overflow, page.overflowCount == UInt(count) else { return nil }
    self.init(offset: Int(number) * page.bytes.count + DataFile.pageHeaderSize)
  }

  /// Removes the after-images from a copy of an environment, which has other pages than their base. Does not flush.
  static func empty(copy descriptor: Int32, _ directory: String) throws(StorageError) {
    let file = try DataFile(sharing: descriptor, directory)
    guard let meta = try MetaPages(file).current, let places = try ImagePlaces(file, meta) else { return }
    let code = places.empty(descriptor)
    if code != 0 { throw StorageError(code: code, .copy, path: directory) }
  }
}

extension DataFile {
  /// The after-image of the commit after the last one, if a power cut or a kill interrupted that commit.
  func interruptedCommit() throws(StorageError) -> AfterImage? {
    guard let meta = try MetaPages(self).current, let places = try ImagePlaces(self, meta) else { return nil }
    return try interruptedCommit(after: meta, places)
  }

  func interruptedCommit(after meta: MetaPage, _ places: ImagePlaces) throws(StorageError) -> AfterImage? {
    let commit = Int(meta.transactionID) + 1
    guard let image = AfterImage(try read(at: places.place(of: commit), count: ImagePlaces.room)),
      image.commit == commit, image.base == (try AfterImageBase(self, meta))
    else { return nil }
    return image
  }
}
