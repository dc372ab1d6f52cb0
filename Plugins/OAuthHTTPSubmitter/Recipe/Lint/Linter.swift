/// Finds what is wrong with a recipe of right form.
struct Linter {
    static func faults(of recipe: Recipe) -> [RecipeFault] { [] }
}
