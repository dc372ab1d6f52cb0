import Testing

@testable import LocalFileSubmitter

/// Paths, and what is mounted.
@Suite struct ExpectedMountTests {
    private static let mounts = """
        22 1 8:1 / / rw - ext4 /dev/sda1 rw
        23 22 8:2 / /home rw - ext4 /dev/sda2 rw
        24 22 0:5 / /run rw - tmpfs tmpfs rw
        25 22 8:17 / /media/me/My\\040CARD rw - vfat /dev/sdb1 rw
        26 22 0:40 / /mnt/nas rw - nfs4 nas:/photos rw
        """
    private static let table = """
        # <file system> <mount point>
        /dev/sda1 / ext4 defaults 0 1
        /dev/sda2 /home ext4 defaults 0 2
        /dev/sdc1 /srv/archive ext4 nofail 0 2
        /dev/sda3 none swap sw 0 0
        """

    @Test(
        arguments: [
            ("/mnt/nas/photos", nil), ("/mnt/nas", nil), ("/mnt/other/photos", "/mnt/other"), ("/mnt", "/mnt"),
            ("/media/me/My CARD/copies", nil), ("/media/me/OTHER", "/media/me"), ("/run/media/me/X", "/run/media/me"),
            ("/Volumes/Disk/photos", "/Volumes/Disk"), ("/srv/archive/2026", "/srv/archive"), ("/srv/archives", nil),
            ("/home/me/Submitted", nil), ("/mntx/photos", nil), ("/photos", nil),
        ] as [(String, String?)])
    func `a path suggests a mounted disk or not`(path: String, missing: String?) {
        let mounts = ExpectedMount(mountInfo: Self.mounts, table: Self.table)
        #expect(mounts.missing(for: path) == missing)
    }

    @Test func `nothing is doubted if the system does not tell what is mounted`() {
        #expect(ExpectedMount(mountInfo: "", table: Self.table).missing(for: "/mnt/nas") == nil)
    }
}
