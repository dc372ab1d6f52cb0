extension Filter {
    func apply(
        to value: Value, _ arguments: [Value], at place: RecipePlace, now: Value?
    ) throws(RecipeFault) -> Value {
        value
    }
}
