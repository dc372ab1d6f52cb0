/// By what one asking of a verb is known from all others, where it is asked again as its answer was lost.
package struct VerbKey: Sendable, Hashable {
    package let text: String

    package init() { text = String(UInt128.random(in: .min ... .max), radix: 16) }
}
