internal import CouchDBSubmitter
internal import LocalFileSubmitter
internal import OAuthHTTPSubmitter
internal import ObjectStorageSubmitter
internal import Submit
internal import SubmitHTTP
internal import WebDAVSubmitter

/// The types of submitters that are part of this package. `swift package new-submitter` adds its lines here.
enum BuiltInTypes {
    static func all(transport: any HTTPTransport) -> [SubmitterType] {
        let types = [
            LocalFileSubmitter.submitterType(),
            ObjectStorageSubmitter.submitterType(transport: transport),
            WebDAVSubmitter.submitterType(transport: transport),
            CouchDBSubmitter.submitterType(transport: transport),
        ]
        return types + RecipeSubmitter.submitterTypes(transport: transport)
    }
}
