internal import Submit

/// Albums as buckets or containers of the account.
struct ContainerAlbums: AlbumFacet {
    let service: any ObjectService
    let creation: ContainerCreation

    func list() async throws(SubmitFailure) -> [String] {
        try await service.containers().sorted()
    }

    func create(_ album: String) async throws(SubmitFailure) {
        try await creation.ensure(try service.container(album))
    }
}
