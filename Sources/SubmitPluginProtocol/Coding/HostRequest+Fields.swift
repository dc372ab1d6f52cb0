internal import Submit

extension HostRequest {
    init(_ kind: RequestKind, reading fields: FieldReader) throws {
        switch kind {
        case .hello: self = try .hello(versions: fields.numbers(.versions), host: fields.text(.host))
        case .configure:
            self = try .configure(
                destination: fields.text(.destination), settings: fields.textsByName(.settings),
                secrets: Set(fields.texts(.secrets)))
        case .check: self = .check
        case .submit: self = try .submit(AttemptDescription(reading: fields))
        case .discard: self = try .discard(AttemptDescription(reading: fields))
        case .presence:
            self = try .presence(
                MediaItem(reading: fields.object(.item), path: nil), Receipt(reading: fields.object(.receipt)),
                fields.has(.verification) ? fields.word(.verification) : .usual)
        case .albums: self = .albums
        case .createAlbum: self = try .createAlbum(fields.text(.album))
        case .link:
            self = try .link(
                Receipt(reading: fields.object(.receipt)), seconds: fields.number(.seconds, in: 1...Int.max))
        case .leftovers: self = try .leftovers(sparing: fields.texts(.sparing))
        case .removeLeftover: self = try .removeLeftover(Leftover(reading: fields.object(.leftover)))
        case .remove: self = try .remove(Receipt(reading: fields.object(.receipt)))
        case .removeAlbum: self = try .removeAlbum(fields.text(.album))
        case .beginLogin: self = try .beginLogin(client: fields.text(.client))
        case .pollLogin: self = .pollLogin
        case .logout: self = .logout
        }
    }

    func write(to fields: inout FieldWriter) throws {
        switch self {
        case .hello(let versions, let host):
            try fields.encode(versions, forKey: .versions)
            try fields.encode(host, forKey: .host)
        case .configure(let destination, let settings, let secrets):
            try fields.encode(destination, forKey: .destination)
            try fields.encode(settings, forKey: .settings)
            try fields.encode(secrets.sorted(), forKey: .secrets)
        case .submit(let attempt), .discard(let attempt):
            try attempt.write(to: &fields)
        case .presence(let item, let receipt, let verification):
            try fields.object(.item) { try item.write(to: &$0) }
            try fields.object(.receipt) { try receipt.write(to: &$0) }
            if verification != .usual { try fields.encode(verification.rawValue, forKey: .verification) }
        case .createAlbum(let album), .removeAlbum(let album):
            try fields.encode(album, forKey: .album)
        case .link(let receipt, let seconds):
            try fields.object(.receipt) { try receipt.write(to: &$0) }
            try fields.encode(seconds, forKey: .seconds)
        case .leftovers(let checkpoints):
            try fields.encode(checkpoints, forKey: .sparing)
        case .removeLeftover(let leftover):
            try fields.object(.leftover) { try leftover.write(to: &$0) }
        case .remove(let receipt):
            try fields.object(.receipt) { try receipt.write(to: &$0) }
        case .beginLogin(let client):
            try fields.encode(client, forKey: .client)
        case .check, .albums, .pollLogin, .logout:
            break
        }
    }
}
