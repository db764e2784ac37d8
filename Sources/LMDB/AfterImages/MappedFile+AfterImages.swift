extension MappedFile {
  /// Where the after-images lie. `nil` if the file has no row for them.
  ///
  /// - Parameter transaction: A snapshot.
  func imagePlaces(_ transaction: OpaquePointer) -> ImagePlaces? {
    guard let tree = tree(of: ImagePlaces.table, transaction),
      let value = ImagePlaces.key.withUnsafeBytes({ try? tree.value(of: $0) }), value.count == ImagePlaces.size,
      let address = value.baseAddress, let start = start(transaction, ImagePlaces.table)
    else { return nil }
    let places = ImagePlaces(offset: start.distance(to: UnsafeRawPointer(address)))
    return has(places, start) ? places : nil
  }

  /// Whether the pages of the places still are the pages of such a value. Checked before each write, because the
  /// content of the file may have been replaced.
  func has(_ places: ImagePlaces, _ start: UnsafeRawPointer) -> Bool {
    let header = start + (places.offset - DataFile.pageHeaderSize)
    let count = (DataFile.pageHeaderSize + ImagePlaces.size + pageSize - 1) / pageSize
    return places.offset % pageSize == DataFile.pageHeaderSize
      && header.load(as: UInt.self) == UInt(places.offset / pageSize)
      && header.load(fromByteOffset: DataFile.word + 2, as: UInt16.self) == Page.overflow
      && header.load(fromByteOffset: DataFile.word + 4, as: UInt32.self) == UInt32(count)
  }

  /// The number of the commit whose after-image seems to be in the place of a commit.
  func commit(inPlaceOf commit: Int, _ places: ImagePlaces, _ start: UnsafeRawPointer) -> Int {
    let number = start.loadUnaligned(fromByteOffset: places.place(of: commit) + 8, as: UInt64.self)
    return Int(truncatingIfNeeded: UInt64(littleEndian: number))
  }
}
