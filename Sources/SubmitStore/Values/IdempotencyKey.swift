/// By what one asking of a verb is known from all others, where it is asked again as its answer was lost.
package struct IdempotencyKey: Sendable, Hashable {
    package let text: String

    package init() { text = String(UInt128.random(in: .min ... .max), radix: 16) }
}
