extension Duration {
    /// Whole milliseconds, rounded up: whoever waits so long has not waited too little. The most there are, where it is longer.
    package var milliseconds: Int64 { units(each: 1_000_000_000_000_000) }

    /// Whole nanoseconds, rounded up; the most there are, where it is longer.
    package var nanoseconds: Int64 { units(each: 1_000_000_000) }

    private func units(each attoseconds: Int128) -> Int64 {
        let (whole, rest) = self.attoseconds.quotientAndRemainder(dividingBy: attoseconds)
        return Int64(clamping: rest > 0 ? whole + 1 : whole)
    }
}
