internal import Submit

extension RequestOutcome {
    /// Reads what came of a request of this kind.
    init(of kind: RequestKind, reading fields: FieldReader) throws {
        switch kind {
        case .hello: self = try .hello(TypeDescription(reading: fields))
        case .configure: self = try .configured(ConfiguredDescription(reading: fields))
        case .check: self = try .text(fields.text(.text))
        case .submit: self = try .receipt(Receipt(reading: fields.object(.receipt)))
        case .presence: self = try .presence(Presence(reading: fields))
        case .albums: self = try .albums(fields.decode([String].self, forKey: .albums))
        case .link: self = try .link(fields.text(.url))
        case .leftovers:
            guard try fields.has(.leftovers) else { throw MalformedMessage("“leftovers” is missing") }
            self = try .leftovers(fields.objects(.leftovers).map { try Leftover(reading: $0) })
        case .beginLogin:
            self = try .loginBegun(
                LoginPrompt(url: fields.text(.url), life: .seconds(fields.number(.seconds, in: 1...Int.max))))
        case .pollLogin: self = try .login(LoginProgress(reading: fields))
        case .logout:
            self = try .logout(fields.flag(.impossible) ? .impossible(fields.text(.text)) : .revoked)
        case .discard, .createAlbum, .removeLeftover, .remove, .removeAlbum: self = .nothing
        }
    }

    func write(to fields: inout FieldWriter) throws {
        switch self {
        case .hello(let description): try description.write(to: &fields)
        case .configured(let description): try description.write(to: &fields)
        case .text(let text): try fields.encode(text, forKey: .text)
        case .receipt(let receipt): try fields.object(.receipt) { try receipt.write(to: &$0) }
        case .presence(let presence): try presence.write(to: &fields)
        case .albums(let albums): try fields.encode(albums, forKey: .albums)
        case .link(let url): try fields.encode(url, forKey: .url)
        case .leftovers(let leftovers): try fields.objects(leftovers, forKey: .leftovers) { try $0.write(to: &$1) }
        case .loginBegun(let prompt):
            try fields.encode(prompt.url ?? "", forKey: .url)
            try fields.encode(prompt.life.components.seconds, forKey: .seconds)
        case .login(let progress): try progress.write(to: &fields)
        case .logout(.revoked), .nothing: break
        case .logout(.impossible(let text)):
            try fields.encode(true, forKey: .impossible)
            try fields.encode(text, forKey: .text)
        }
    }
}

/// The answers to “is it there?” by name.
package enum PresenceName: String, CaseIterable {
    case present, absent, unknown
}

extension Presence {
    fileprivate init(reading fields: FieldReader) throws {
        switch try fields.word(.presence) as PresenceName {
        case .present: self = try .present(fields.word(.evidence))
        case .absent: self = try fields.has(.instead) ? .changed(fields.word(.instead)) : .absent
        case .unknown: self = try .unknown(fields.text(.why))
        }
    }

    fileprivate func write(to fields: inout FieldWriter) throws {
        let name: PresenceName
        switch self {
        case .present(let evidence):
            name = .present
            try fields.encode(evidence.rawValue, forKey: .evidence)
        case .changed(let difference):
            // Hosts from before this could be told take it for absent, as they always did.
            name = .absent
            try fields.encode(difference.rawValue, forKey: .instead)
        case .absent:
            name = .absent
        case .unknown(let why):
            name = .unknown
            try fields.encode(why, forKey: .why)
        }
        try fields.encode(name.rawValue, forKey: .presence)
    }
}

extension LoginProgress {
    fileprivate init(reading fields: FieldReader) throws {
        if try fields.flag(.pending) {
            self = try .pending(after: .milliseconds(fields.number(.afterMilliseconds) as Int64))
        } else {
            self = try .done(
                LoginGrant(
                    account: fields.text(.account), settings: fields.textsByName(.settings),
                    secrets: fields.textsByName(.secrets)))
        }
    }

    fileprivate func write(to fields: inout FieldWriter) throws {
        switch self {
        case .pending(let after):
            try fields.encode(true, forKey: .pending)
            try fields.encode(after.milliseconds, forKey: .afterMilliseconds)
        case .done(let grant):
            try fields.encode(grant.account, forKey: .account)
            try fields.encode(grant.settings, forKey: .settings)
            try fields.encode(grant.secrets, forKey: .secrets)
        }
    }
}
