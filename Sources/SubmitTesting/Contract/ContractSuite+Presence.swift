internal import Submit

extension ContractSuite {
    static let presence: [ContractCase] = [
        ContractCase("presence", "presence is told apart from absence", needs: [.presence], looks: false) { place in
            let presence = try await place.presenceFacet()
            let bytes = try await place.bytes(count: 5000)
            let item = bytes.item(named: "photo.jpg")
            let receipt = try await place.submit(bytes)
            guard case .present = await presence.presence(of: item, receipt: receipt) else {
                throw ContractViolation(description: "a copy that is there was not found")
            }
            let elsewhere = Receipt(remoteID: receipt.remoteID + "-not-there", evidence: .verified)
            let absent = await presence.presence(of: item, receipt: elsewhere)
            try expect(absent == .absent, "a copy that is not there should be `absent`, and this was said: \(absent)")
        },
        ContractCase(
            "presence-other-bytes", "other bytes in a copy's place are never called verified",
            needs: [.presence, .otherWriter], looks: false
        ) { place in
            let presence = try await place.presenceFacet()
            let bytes = try await place.bytes(count: 300)
            let receipt = try await place.submit(bytes)
            _ = try await place.putOther()
            let found = await presence.presence(of: bytes.item(named: "photo.jpg"), receipt: receipt)
            try expect(
                found != .present(.verified),
                "other bytes of the same size should not be called a copy, and are called a verified one")
        },
        ContractCase(
            "presence-unreachable", "what cannot be reached is never called absent",
            needs: [.presence, .fault(.unreachable)], looks: false
        ) { place in
            _ = try await place.presenceFacet()
            let bytes = try await place.bytes(count: 300)
            let receipt = try await place.submit(bytes)
            guard let broken = try await place.submitter(meeting: .unreachable),
                let presence = broken.facets.presence
            else { throw NotTried.unmade(.unreachable) }
            let found = await presence.presence(of: bytes.item(named: "photo.jpg"), receipt: receipt)
            guard case .unknown(let sentence) = found else {
                throw ContractViolation(description: "what cannot be reached was answered with \(found)")
            }
            try expect(
                sentence.hasSuffix("."), "it does not say in a sentence why presence cannot be told: \(sentence)")
        },
    ]
}

extension ContractPlace {
    fileprivate func presenceFacet() async throws -> any PresenceFacet {
        guard let presence = try await makeSubmitter().facets.presence else {
            throw NotTried(lacking: .presence, "it cannot be asked what is there")
        }
        return presence
    }
}
