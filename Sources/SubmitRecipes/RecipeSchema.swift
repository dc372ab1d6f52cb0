extension Recipe {
    /// A JSON Schema (draft 7) of the language, for editors.
    public static var schema: String { String(decoding: PackageResources.recipe_schema_json, as: UTF8.self) }
}
