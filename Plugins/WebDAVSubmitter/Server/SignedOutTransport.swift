internal import Submit
internal import SubmitHTTP

/// The transport of a destination whose user is known and whose password is not: nothing is sent until someone signs
/// in or sets it.
struct SignedOutTransport: HTTPTransport {
    let user: String
    let destination: String

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        throw .body(
            SubmitFailure(
                .renewCredentials, code: "signed-out",
                message:
                    "The password of “\(user)” for the destination “\(destination)” is not set: set the secret “password”, or "
                    + "sign in where that is a Nextcloud."))
    }
}
