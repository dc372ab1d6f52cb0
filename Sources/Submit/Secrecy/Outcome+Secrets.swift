extension SubmitFailure {
    /// The same without a secret in its sentence: for where it enters from a submitter, which may have forgotten.
    package var withoutSecrets: SubmitFailure {
        let message = KnownSecrets.redacted(message)
        let code = KnownSecrets.areAbsent(fromName: code) ? code : "refused"
        return SubmitFailure(remedy, code: code, message: message)
    }
}

extension Receipt {
    /// The same without a secret in what it says: without a URL or a mark that holds one, which would lead nowhere.
    ///
    /// Its id stays as it is, for by another one the copy is never found again. Submitters whose service chooses ids
    /// look at them themselves.
    package var withoutSecrets: Receipt {
        var receipt = self
        receipt.note = note.map(KnownSecrets.redacted)
        receipt.url = url.flatMap { KnownSecrets.areAbsent(fromName: $0) ? $0 : nil }
        receipt.marks = marks.filter {
            KnownSecrets.areAbsent(fromName: $0.key) && KnownSecrets.areAbsent(fromName: $0.value)
        }
        return receipt
    }
}

extension Presence {
    /// The same without a secret in its reason.
    package var withoutSecrets: Presence {
        guard case .unknown(let why) = self else { return self }
        return .unknown(KnownSecrets.redacted(why))
    }
}

extension LoginAccount {
    /// The same without a secret in what the service calls it.
    package var withoutSecrets: LoginAccount {
        LoginAccount(name: KnownSecrets.redacted(name), id: id.map(KnownSecrets.redacted))
    }
}
