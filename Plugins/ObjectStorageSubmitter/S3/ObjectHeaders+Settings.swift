internal import Submit

extension ObjectHeaders {
    /// As it is configured.
    ///
    /// - Parameter isReadable: everyone on the network sees what is sent.
    /// - Throws: for what cannot be, and for what the server is known not to have.
    init(_ settings: DestinationSettings, _ profile: S3Profile, isReadable: Bool) throws(SubmitFailure) {
        isPublic = try settings.boolean("public") ?? false
        storageClass = try settings.word("storage_class")
        cacheControl = settings["cache_control"]
        keepsTags = try settings.boolean("tags") ?? false
        encryption = try S3Encryption(settings, isReadable: isReadable)
        lock = try ObjectLock(settings)
        bucketOwner = settings["bucket_owner"]
        if let cacheControl, !cacheControl.utf8.allSatisfy({ (32...126).contains($0) }) {
            throw settings.invalid("cache_control", "must be of plain letters and signs, such as max-age=86400")
        }
        if let bucketOwner, bucketOwner.utf8.count != 12 || !bucketOwner.utf8.allSatisfy({ (48...57).contains($0) }) {
            throw settings.invalid("bucket_owner", "must be an account's number of 12 digits, not “\(bucketOwner)”")
        }
        for (name, feature) in used where profile.features[feature] == false {
            throw settings.invalid(name, "asks for what \(profile.title) does not have: remove it")
        }
    }

    private var used: [(setting: String, S3Profile.Feature)] {
        var used: [(setting: String, S3Profile.Feature)] = []
        if isPublic { used.append(("public", .acl)) }
        if storageClass != nil { used.append(("storage_class", .storageClass)) }
        if keepsTags { used.append(("tags", .tags)) }
        if let encryption { used.append(("sse", encryption.feature)) }
        if lock != nil { used.append(("lock_mode", .objectLock)) }
        if bucketOwner != nil { used.append(("bucket_owner", .bucketOwner)) }
        return used
    }
}

extension S3Encryption {
    /// `nil` where nothing is configured.
    init?(_ settings: DestinationSettings, isReadable: Bool) throws(SubmitFailure) {
        let choice: Choice? = try settings.choice("sse")
        let id = settings["sse_kms_key"]
        let key = settings.secret("sse_customer_key")
        guard id == nil || choice == .kms else {
            throw settings.invalid("sse_kms_key", "goes with “sse” set to kms only")
        }
        guard key == nil || choice == .customer else {
            throw settings.invalid("sse_customer_key", "goes with “sse” set to customer only")
        }
        switch choice {
        case nil: return nil
        case .s3: self = .ownKeys
        case .kms:
            guard id?.utf8.allSatisfy({ (33...126).contains($0) }) ?? true else {
                throw settings.invalid("sse_kms_key", "must be a key's id without blanks")
            }
            self = .keysOfKMS(id: id)
        case .customer:
            guard let key else { throw settings.invalid("sse_customer_key", "is not set") }
            guard let key = CustomerKey(base64: key) else {
                throw settings.invalid("sse_customer_key", "must be 32 bytes in base64")
            }
            // Not even where all else may be shown.
            guard !isReadable else { throw settings.invalid("sse", "sends your key, which http shows: use https") }
            self = .customerKey(key)
        }
    }
}

extension ObjectLock {
    /// `nil` where nothing is configured.
    init?(_ settings: DestinationSettings) throws(SubmitFailure) {
        let mode: Mode? = try settings.choice("lock_mode")
        let days = try settings.integer("lock_days", in: 1...36_500)
        switch (mode, days) {
        case (nil, nil): return nil
        case (let mode?, let days?): self.init(mode: mode, days: days)
        case (nil, _): throw settings.invalid("lock_mode", "is not set, and “lock_days” is")
        case (_, nil): throw settings.invalid("lock_days", "is not set, and “lock_mode” is")
        }
    }
}
