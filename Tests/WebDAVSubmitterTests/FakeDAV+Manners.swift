extension FakeDAV {
    /// What servers have been seen to do, and where that can be read. `Worlds/Manners.md` has all of them in tables.
    ///
    /// A fault that comes once comes at the first such step at each place, and only to files of more than 100 bytes, so that
    /// no trial file meets it.
    enum Manner: String, Sendable, CaseIterable {
        // MARK: Names

        /// Names that differ only by case are one. Windows and IIS (MicrosoftDocs/iis-docs#609); dotCMS/core#17698.
        case foldsCase
        /// Names are kept in their composed form. ownCloud 10 and Nextcloud: lib/private/Files/Filesystem.php.
        case normalises
        /// 403 for names that begin with a dot. docker-nginx-webdav-nononsense#5; a host of keeweb/keeweb#580.
        case hidesDotfiles
        /// A Destination is decoded before it is taken apart, so that it ends before the first `?` or `;` of its last name.
        /// WsgiDAV: request_server.py, `unquote` before `urlparse`.
        case cutsDestination
        /// 403 for names that begin with an underscore. Seen at hosts whose rules keep such names to themselves.
        case refusesUnderscore
        /// The connection breaks at `?` and `#` in a name: the worker dies of it. A stranger's own server (issue 44).
        case diesOfSigns
        /// Names of more than 143 bytes are refused with 500. eCryptfs, so Synology's encrypted shares: Sonarr/Sonarr#3888.
        case hasShortNames
        /// What is stored where something is comes to lie beside it, as `n (2).jpg`, with 201. File drops of Nextcloud
        /// (FilesDropPlugin.php) and oCIS (put.go).
        case renamesUploads

        // MARK: Conditions, locks and ETags

        /// nginx's put_handler, phodav, Go's x/net/webdav, dufs, alist; emersion/go-webdav#137.
        case ignoresConditions
        /// dufs and alist (file.go) always replace; bewcloud#170, npm-WebDAV-Server#18.
        case ignoresOverwrite
        /// 412 for each condition that names an ETag. nginx before SabreDAV at mail.de: bitfireAT/davx5-ose#1365.
        case neverMatches
        /// A condition on what is not there is not looked at. WsgiDAV: request_server.py; reva: put.go.
        case conditionsNeedAFile
        /// Nothing is changed without a lock. No server is known to by itself; lighttpd has it switched off (mod_webdav.c).
        case demandsLocks
        /// The same, with 428. No server is known to.
        case demandsLocks428
        /// Whoever asks gets the same lock, which keeps nobody out; UNLOCK says 501. reva: lock.go, unlock.go.
        case fakesLocks
        /// Anything behind nginx's gzip, Cloudflare or Traefik: koreader/koreader#15707.
        case weakETags
        /// dav-ext's PROPFIND, the PUT of nginx and Apache.
        case noETags
        /// rclone serve webdav --etag-hash MD5: cmd/serve/webdav/webdav.go.
        case md5ETags
        /// Two files of the same size have the same ETag. SabreDAV's FSExt (inode, size, seconds) when it writes in place;
        /// lighttpd and Apache where they are told to take the size only (http_etag.c).
        case coarseETags
        /// An ETag is weak at first, and the same is strong later. Apache: server/util_etag.c.
        case ripensETags
        /// PUT tells the ETag that was there before, or zeros. Seafile 10 to 12: haiwen/seafdav#95.
        case tellsOldETag

        // MARK: Storing

        /// Says 2xx and stores nothing when `Expect` was sent. No server is known to for that header; PHP behind FastCGI
        /// so empties chunked bodies: nextcloud/server#7995.
        case emptiesExpected
        /// Keeps only the fragment of a PUT with `Content-Range`, and says 201. Go's x/net/webdav, so rclone and Caddy;
        /// phodav; SabreDAV before sabre-io/dav#137.
        case keepsFragment
        /// Apache (mod_dav.c, dav_parse_range), lighttpd, dav-server-rs.
        case takesContentRange
        /// The first PUT with `Content-Range` makes a file as long as the total. Apache Tomcat (DefaultServlet.java,
        /// executePartialPut).
        case growsToTotal
        /// Says 201 and stores nothing but the first half. Nextcloud 15: nextcloud/server#7995; mar10/wsgidav#6.
        case storesHalf
        /// Says 201 and stores other bytes, as many. No server is known to keep the number; SharePoint changes Office files.
        case storesOthers
        /// What came of a PUT that broke off stays. Go's x/net/webdav, WsgiDAV, SabreDAV's FS; Apache with Content-Range.
        case keepsWhatBrokeOff
        /// The same, and the file is empty from the first byte on. Nextcloud where it replaces (nextcloud/server#62321),
        /// x/net/webdav, WsgiDAV, SabreDAV's FS.
        case writesInPlace
        /// A PUT that breaks off removes the file, the old one included. dufs: src/server.rs, below 20 MiB.
        case deletesWhatBrokeOff
        /// What broke off leaves nothing of a file but its size and ETag. Nextcloud 34: nextcloud/server#63071.
        case staleAfterBreak
        /// After a PUT that broke off its path is locked for a while, by nobody. ownCloud 8.1 to 10: owncloud/core#17254.
        case staysLocked
        /// Once 503 for a file that is stored. Nextcloud's File.php: the lock is changed after the rename.
        case failsAfterStoring
        /// Once 201 without an ETag, and nothing is stored. ownCloud 10's File.php, where a hook refuses.
        case vetoesSilently
        /// What was stored is processed for a while: 425 for who looks, 503 for who changes. oCIS: get.go, propfind.go.
        case processesLater
        /// The same, and then it is gone. oCIS, with a virus or a fault in between: owncloud/ocis#10259.
        case vanishesLater
        /// What was stored or moved is 404 for who looks, for a while. internxt/cli#133; rclone's cache: rclone/rclone#6433.
        case appearsLater
        /// 400 for what has no bytes. internxt/cli#505; alist's clouds: AlistGo/alist#9612.
        case refusesEmpty
        /// X-OC-Mtime is understood. Nextcloud, ownCloud 10, reva.
        case ocMtime
        /// The same is said and not done. reva: put.go says so before it stores.
        case claimsMtime
        /// 200 for whatever was done. phodav for PUT, lighttpd for folders, 4shared: saguiitay/WebDAVClient#4.
        case answers200
        /// 201 for each PUT. Go's x/net/webdav, dufs, alist.
        case saysCreated

        // MARK: Moving and removing

        /// bewCloud before 4.1.2: bewcloud/bewcloud#155.
        case hasNoMove
        /// MOVE says 204 for a parent that is missing, and moves nothing. No server is known to.
        case movesNowhere204
        /// The same with 500. Apache: repos.c, “Could not rename resource.”
        case movesNowhere500
        /// The same with 404. No server is known to; Go's x/net/webdav says 403.
        case movesNowhere404
        /// MOVE makes the collection that is missing. nginx's ngx_http_dav_module.c (`create_path`), dufs.
        case movesMakingParents
        /// What would be replaced is removed before something moves there, and once that fails with 500. Apache
        /// (mod_dav.c), SabreDAV (CorePlugin.php), x/net/webdav, WsgiDAV, reva.
        case removesFirst
        /// A file that is moved to a collection comes into it under its own name, with 204. lighttpd's mod_webdav.c.
        case movesIntoFolder
        /// MOVE to another collection comes there under the old name first, and once stays so with 500. alist: file.go.
        case movesInTwoSteps
        /// What is moved stays where it was, too. meganz/MEGAcmd#160.
        case moveKeepsSource
        /// MOVE to another collection stores anew: another ETag. SabreDAV's Tree.php; Apache and lighttpd across devices.
        case copiesToMove
        /// Once 200 for a MOVE that moved nothing. cs3org/reva v3: move.go tells the status of the source.
        case movesNothing200
        /// Once 500 for a MOVE that moved. redmine_dmsf#372; Apache where properties cannot follow (repos.c).
        case failsAfterMoving
        /// Once 504 for a PUT or MOVE that goes on; meanwhile both places are locked. Nextcloud behind proxies:
        /// rclone/rclone#7109, nextcloud/server#17992.
        case finishesLater504
        /// 204 for each MOVE. nginx, dufs.
        case saysReplaced
        /// MOVE and DELETE answer with a multistatus. NWebDav (ramondeklein/nwebdav#52), dav-server-rs.
        case moves207
        /// 502 for each MOVE: the Destination's scheme or port is another behind a proxy. mar10/wsgidav#183.
        case refusesDestination
        /// DELETE says 200 and removes nothing. 4shared: saguiitay/WebDAVClient#4.
        case deletesNothing200

        // MARK: Collections and listings

        /// MKCOL of a collection that is there answers 201. dufs; Nextcloud's file drop.
        case makesAgain
        /// The same with 301 (Yandex: amnong/easywebdav#7).
        case thereSays301
        /// The same with 403 (kouprlabs/voltaserve#187).
        case thereSays403
        /// The same with 406 (rclone/rclone#3513).
        case thereSays406
        /// The same with 409 (Bitrix24, 4shared; internxt/cli#687).
        case thereSays409
        /// The same with 423 (ownCloud, while it is made).
        case thereSays423
        /// The same with 500 (ownCloud 7.0.4: owncloud/core#13583).
        case thereSays500
        /// nginx without dav-ext.
        case hasNoPropfind
        /// Listings tell of three members and no more. Nutstore 750 (remotely-save#284), PikPak 500 (AlistGo/alist#7099).
        case pagesListings
        /// Listings of more than three end in the middle. Go's x/net/webdav: handlePropfindError.
        case cutsListings
        /// PROPFIND of what is not there says so of its properties only. dav-ext before 3: webdav-client#258.
        case finds404In207
        /// The same in the status of a response. Cyrus 3.6: cyrusimap/cyrus-imapd#5667.
        case findsStatus404In207
        /// The same with 207 and an error document. Nextcloud 33.0.7: nextcloud/server#63415.
        case findsErrorIn207
        /// What is not known of a property is not said. dav-ext: propfind_xml_end.
        case omitsUnknown
        /// All that may be is percent-encoded in hrefs, in lower case, and the server's name stands before it. IIS
        /// (webdav-js#125), Synology, civetweb#729.
        case overEncodes
        /// Hrefs have another beginning than what was asked for. nginx-dav-ext-module#75, behind a rewrite.
        case misprefixesHrefs
        /// The address of what has `&` in its path before its name is empty in listings. phodav-method-propfind.c.
        case losesAddresses
        /// dufs; x/net/webdav without a DeadPropsHolder.
        case keepsNoProperties
        /// Tells `quota-available-bytes`. Apache's trunk, SabreDAV, WsgiDAV, Nextcloud.
        case hasQuota
        /// 301 to a collection that was asked for without its slash. Apache: action-upload-webdav#52.
        case redirectsFolders

        // MARK: Reading

        /// 200 with a page for whatever was asked. SharePoint: rclone/rclone#2441.
        case loginPage
        /// HEAD of a file says `Content-Length: 0`. ASGIWebDAV (asgi_webdav/web_dav.py, do_head).
        case headsNoLength
        /// PROPFIND says of each file that it has 0 bytes. No server is known to.
        case listsNoLength
        /// HEAD of a collection says 405. Go's x/net/webdav.
        case headsFolders405
        /// The same with 403. WsgiDAV without its browser.
        case headsFolders403
        /// The same with 200 and a length, as of a file. reva's head.go, alist.
        case headsFoldersAsFiles
        /// A range is one byte short. andrewleech/PyWebDAV3#21.
        case cutsRanges
        /// A range is answered with all, and 200. Cloudflare: rclone/rclone#6980.
        case ignoresRanges
    }
}
