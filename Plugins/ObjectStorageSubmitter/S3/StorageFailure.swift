internal import Submit
internal import SubmitHTTP

extension S3Service {
    /// What an answer that is no success means: by its error code, and by its status where it has none that is known.
    ///
    /// - Parameters:
    ///   - place: for the sentence.
    ///   - file: the name of the file it was about; `nil` for none.
    func failure(_ response: HTTPResponse, at place: String, file: String?) -> SubmitFailure {
        let error = StorageError(response)
        let about = file.map { "“\($0)” was not stored in \(place)" } ?? "\(place.capitalizedFirst) cannot be used"
        let said = error.code.map { "\(response.status) \(ForeignText.line($0))" } ?? "\(response.status)"
        let wait = response.retryAfter(now: now)
        func failure(_ remedy: Remedy, _ code: String, _ why: String) -> SubmitFailure {
            SubmitFailure(remedy, code: code, message: "\(about) (\(said)): \(why).")
        }
        let misconfigured = Remedy.hold(.misconfigured, after: nil)

        if let region = error.region, region != configuredRegion, (300..<500).contains(response.status) {
            return failure(
                misconfigured, "wrong-region", "it is in the region \(ForeignText.line(region)); set “region” to that")
        }
        // It waited for more of the body: that is the line's doing as likely as ours.
        let isLate = response.status == 408 || error.code == "RequestTimeout"
        switch StorageErrorKind(status: response.status, error: error) {
        case .credentials:
            return failure(.renewCredentials, "credentials", "it refuses the access key; check or renew it")
        case .denied:
            return failure(
                misconfigured, "access-denied",
                "the access key may not do that; allow it s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket, "
                    + "s3:AbortMultipartUpload, s3:ListMultipartUploadParts and s3:ListBucketMultipartUploads"
            )
        case .clock:
            return failure(misconfigured, "clock", "this computer's clock is wrong; set it")
        case .noBucket:
            return failure(
                misconfigured, "no-bucket",
                "there is no such bucket; check its name, or set “create_bucket” to true to have it made")
        case .elsewhere:
            return failure(
                misconfigured, "wrong-endpoint", "it is served from elsewhere; check “endpoint” and “region”")
        case .noStorage:
            return failure(
                misconfigured, "wrong-endpoint", "what answers there is no object storage; check “endpoint”")
        case .throttled:
            return failure(.hold(.throttled, after: wait), "throttled", "it asks us to slow down")
        case .away:
            return failure(
                .tryAnother(after: wait), "unavailable", "it is not available now; check that it is up")
        case .full:
            return failure(
                .hold(.full, after: wait), "full", "it has no room left; make some or raise the quota")
        case .tooLarge:
            return failure(
                .giveUp, "too-large", "it takes no file of that size, and none above 5 GiB; send a smaller one")
        case .damaged:
            return failure(
                isLate ? .tryAnother(after: wait) : .retry(after: wait), "damaged",
                "not all came through as sent; try again")
        case .conflict:
            return failure(
                .retry(after: wait), "conflict", "someone else changes the same thing; try again")
        case .passing:
            return failure(
                .tryAnother(after: wait), "server-error", "the server is in trouble; try again later")
        case .refused:
            let message = error.message.map { ", saying “\(ForeignText.line($0))”" } ?? ""
            return failure(
                .giveUp, "refused", "the server refuses it\(message); check the settings and the file's name")
        }
    }
}

/// The kinds of trouble that servers report.
enum StorageErrorKind: Hashable {
    case credentials, denied, clock, noBucket, elsewhere, noStorage, throttled, full, tooLarge, damaged, conflict
    case away, passing, refused

    init(status: Int, error: StorageError) {
        // What OpenStack Swift says when it cannot reach the service that knows the keys, as a message about another code.
        if error.code == "InvalidRequest", error.message?.contains("<Code>InvalidURI</Code>") ?? false {
            self = .away
            return
        }
        // What Garage says of the quotas of a bucket.
        if error.code == "AccessDenied", error.message?.contains("quota is reached") ?? false {
            self = .full
            return
        }
        if let known = error.code.flatMap({ Self.codes[$0] }) {
            self = known
            return
        }
        switch status {
        case 401: self = .credentials
        case 407, 511: self = .noStorage
        case 408, 422, 499: self = .damaged
        case 409: self = .conflict
        case 413: self = .tooLarge
        case 429, 498: self = .throttled
        case 507: self = .full
        case 501, 505: self = .noStorage
        // What a server says that is down behind its front: nothing of this one file.
        case 502, 503, 504: self = .away
        case 500...599: self = .passing
        case 403 where !error.isPage: self = .denied
        case 300..<400: self = .elsewhere
        case 404, 405: self = .noStorage
        default: self = error.isPage || status < 300 ? .noStorage : .refused
        }
    }

    /// "List of error codes" in the Amazon S3 API reference, and those of other services with the same meaning.
    private static let codes: [String: StorageErrorKind] = [
        "InvalidAccessKeyId": .credentials, "SignatureDoesNotMatch": .credentials, "ExpiredToken": .credentials,
        "ExpiredTokenException": .credentials, "InvalidToken": .credentials, "TokenRefreshRequired": .credentials,
        "InvalidClientTokenId": .credentials, "NotSignedUp": .credentials, "InvalidSecurity": .credentials,
        "AccessDenied": .denied, "AllAccessDisabled": .denied, "AccountProblem": .denied,
        "MethodNotAllowed": .denied, "BucketAlreadyExists": .denied,
        "RequestTimeTooSkewed": .clock, "RequestExpired": .clock,
        "NoSuchBucket": .noBucket,
        "PermanentRedirect": .elsewhere, "TemporaryRedirect": .elsewhere, "Redirect": .elsewhere,
        "AuthorizationHeaderMalformed": .elsewhere, "IllegalLocationConstraintException": .elsewhere,
        "InvalidLocationConstraint": .elsewhere, "AuthorizationQueryParametersError": .elsewhere,
        "SlowDown": .throttled, "TooManyRequests": .throttled, "Throttling": .throttled,
        "ThrottlingException": .throttled, "RequestLimitExceeded": .throttled, "RequestThrottled": .throttled,
        "QuotaExceeded": .full, "InsufficientStorage": .full, "XMinioStorageFull": .full,
        "StorageQuotaExceeded": .full, "XMinioAdminBucketQuotaExceeded": .full,
        "EntityTooLarge": .tooLarge,
        "BadDigest": .damaged, "InvalidDigest": .damaged, "XAmzContentSHA256Mismatch": .damaged,
        "IncompleteBody": .damaged, "RequestTimeout": .damaged, "XAmzContentChecksumMismatch": .damaged,
        "OperationAborted": .conflict, "ConditionalRequestConflict": .conflict,
        "InternalError": .passing, "ServiceUnavailable": .away, "Busy": .throttled,
    ]
}
