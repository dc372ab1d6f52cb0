/// Whole numbers that were used, kept as ranges: whoever counts up takes next to no memory.
struct UsedRequestIDs: Sendable {
    /// The most gaps that are kept.
    static let mostGaps = 1024

    /// Sorted, with a gap between any two.
    private var ranges: [ClosedRange<Int>] = []

    /// Marks a number as used.
    ///
    /// - Returns: `false` where it was before, or where the numbers jump about so much that it cannot be told.
    mutating func use(_ number: Int) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        // `low` is the first range that does not lie wholly before the number.
        if low < ranges.count, ranges[low].contains(number) { return false }
        let follows = low > 0 && ranges[low - 1].upperBound + 1 == number
        let leads = low < ranges.count && number < Int.max && ranges[low].lowerBound == number + 1
        switch (follows, leads) {
        case (true, true):
            ranges[low - 1] = ranges[low - 1].lowerBound...ranges[low].upperBound
            ranges.remove(at: low)
        case (true, false): ranges[low - 1] = ranges[low - 1].lowerBound...number
        case (false, true): ranges[low] = number...ranges[low].upperBound
        case (false, false):
            guard ranges.count <= Self.mostGaps else { return false }
            ranges.insert(number...number, at: low)
        }
        return true
    }
}
