/// An expression, read: what stands between `{{` and `}}`, and in `when` and its like.
///
/// It is bounded: its tree is at most ``mostDepth`` deep, there are no loops and no functions but the filters.
package indirect enum Expression: Sendable {
    case literal(RecipeValue)
    case list([Expression])
    /// A name on its own, such as `status`; members of names are ``member``s of it.
    case name(String, RecipePlace)
    /// `x.key` and `x['key']`
    case member(Expression, Expression, RecipePlace)
    case not(Expression)
    case binary(Operator, Expression, Expression, RecipePlace)
    case filter(ExpressionFilter, Expression, [Expression], RecipePlace)

    package enum Operator: String, Sendable, Hashable {
        case or
        case and
        case nothing = "??"
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case atMost = "<="
        case greater = ">"
        case atLeast = ">="
        case isIn = "in"
        case plus = "+"
        case minus = "-"
        case times = "*"
    }

    /// The deepest tree. A recursion over it needs no more frames than this.
    package static let mostDepth = 64
}
