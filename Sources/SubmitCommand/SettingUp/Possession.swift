internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SystemPackage

/// What people have that photos can go to, in their words, and what has to be asked for it.
enum Possession: CaseIterable {
    case folder, share, cloud, bucket, openStack, rclone, service

    var title: String {
        switch self {
        case .folder: "a folder or a disk of this computer"
        case .share: "a NAS or another computer, mounted here (NFS, SMB, SSHFS)"
        case .cloud: "Nextcloud, ownCloud or another WebDAV server"
        case .bucket: "a bucket of object storage (S3: Amazon, Backblaze, Hetzner, MinIO …)"
        case .openStack: "object storage of an OpenStack cloud (Swift)"
        case .rclone: "a remote of rclone (Google Drive, OneDrive, SFTP …)"
        case .service: "a service for photos (Immich, WordPress, Mastodon, Flickr …)"
        }
    }

    /// What the destination may be called.
    var usualName: String {
        switch self {
        case .folder: "disk"
        case .share: "nas"
        case .cloud: "cloud"
        case .bucket: "bucket"
        case .openStack: "swift"
        case .rclone: "remote"
        case .service: "service"
        }
    }

    /// Asks for the type and the settings without which it cannot be used.
    ///
    func settings(
        _ catalog: DestinationCatalog, earlier: EarlierAnswers = EarlierAnswers()
    ) async throws(SubmitFailure) -> DestinationAnswers {
        switch self {
        case .folder:
            var answers = try DestinationAnswers("file", catalog, earlier: earlier)
            try answers.ask("path", "Which folder (submit creates it if it doesn't exist)")
            try answers.askForSorting()
            return answers
        case .share:
            var answers = try DestinationAnswers("file", catalog, earlier: earlier)
            try answers.ask("path", "Its folder", by: Self.folderOnShare)
            try answers.askForSorting()
            return answers
        case .cloud:
            var answers = try DestinationAnswers("webdav", catalog, earlier: earlier)
            try answers.ask("url", "Its address, such as https://cloud.example.com")
            try answers.ask("folder", "The folder there", usual: "photos")
            try answers.askForSorting()
            try answers.ask("user", "Your name there (empty: sign in to Nextcloud with a browser)", usual: "")
            return answers
        case .bucket:
            var answers = try DestinationAnswers("objstore", catalog, earlier: earlier)
            try answers.set("api", "s3")
            try answers.ask(
                "endpoint", "The service's address, such as https://s3.example.com (empty: Amazon)", usual: "")
            try answers.ask("region", "Its region", usual: "us-east-1")
            try answers.askForBucket("The bucket")
            try answers.askForSorting()
            return answers
        case .openStack:
            var answers = try DestinationAnswers("objstore", catalog, earlier: earlier)
            try answers.set("api", "swift")
            try answers.ask("cloud", "Its name in clouds.yaml (empty: you have none)", usual: "")
            if answers["cloud"] == nil {
                try answers.ask("auth_url", "The identity service, such as https://cloud.example.org:5000/v3")
                try answers.ask("username", "Your name there")
                try answers.ask("user_domain_name", "Your domain", usual: "Default")
                try answers.ask("project_name", "The project")
                try answers.ask("project_domain_name", "The project's domain", usual: "Default")
                try answers.ask("region_name", "The region (empty: there is one)", usual: "")
            }
            try answers.askForBucket("The container")
            try answers.askForSorting()
            return answers
        case .rclone:
            var answers = try DestinationAnswers("rclone", catalog, earlier: earlier)
            let remotes = await RcloneRemotes.all()
            guard !remotes.isEmpty else {
                throw .usage("rclone has no remote yet, or is not installed: `rclone config` makes one.")
            }
            try answers.ask("remote", "The remote and its folder") { (_) throws(SubmitFailure) in
                let remote = remotes[try Interview.choice("Which remote?", remotes, usual: 0)]
                return try remote + Interview.line("The folder there", usual: "photos")
            }
            return answers
        case .service:
            let others: Set = ["file", "objstore", "webdav", "couchdb", "oauth-http"]
            let services = catalog.types.builtIn.filter { !others.contains($0.name) }
            let names = services.map { "\($0.name): \($0.summary)" }
            let known = earlier.again == nil ? nil : services.first { $0.name == earlier.type }
            let type = if let known { known } else { services[try Interview.choice("Which one?", names)] }
            var answers = try DestinationAnswers(type.name, catalog, earlier: earlier)
            for key in type.settings where key.isRequired && key.kind != .secret {
                try answers.ask(key.name, key.summary)
            }
            return answers
        }
    }

    private static func folderOnShare(_ earlier: String?) throws(SubmitFailure) -> String {
        let kinds = ["nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph", "davfs", "fuse.davfs2"]
        let shares = MountTable().mounts.filter { kinds.contains($0.type) }
        if shares.isEmpty {
            Interview.say(
                "No share is mounted now. Mount yours first (see mount.cifs(8), mount.nfs(8)), or name its folder.")
        } else {
            let options = shares.map { "\($0.path) (\($0.source), \($0.type))" } + ["another folder"]
            let index = try Interview.choice("Which one?", options, usual: 0)
            if index < shares.count {
                let folder = try Interview.line("The folder on it", usual: "photos")
                return shares[index].path.pushing(FilePath(folder)).string
            }
        }
        return try Interview.line("Its folder, such as /mnt/nas/photos", usual: earlier)
    }
}
