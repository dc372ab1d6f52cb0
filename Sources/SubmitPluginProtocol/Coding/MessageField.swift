/// The names of all fields of all messages.
package enum MessageField: String, CodingKey, CaseIterable {
    // What it is and which.
    case message, id, question
    // hello
    case versions, host, version, summary, capabilities, settings, silenceSeconds
    // capabilities
    case ordering, width, minimumGapMilliseconds, kinds, mimeTypes, maximumSize, captionLimit, albums, resumes
    case requiresNetwork, digests, digestLimits, readsBack, proves, usesCaptureTime, visibility, keepsBytes
    // A setting that can be configured.
    case name, kind, values, required, environment
    // configure
    case destination, secrets, facets, longestLink, loginSecrets
    // submit and discard
    case submission, attempt, item, path, album, onConflict, verification, disproved, checkpoint
    // An item.
    case size, mime, `extension`, modified, captured, caption, tags
    // A receipt.
    case receipt, remoteID, url, evidence, wasThere, note, marks
    // progress
    case sent, landed
    // A failure.
    case remedy, reason, afterMilliseconds, code, sentence
    // What is asked and answered.
    case text, topic, offset, length, bytes
    // presence
    case presence, instead, why
    // link and login
    case seconds, client, pending, account, impossible
    // leftovers
    case sparing, leftovers, leftover, begun
}

typealias FieldReader = KeyedDecodingContainer<MessageField>
typealias FieldWriter = KeyedEncodingContainer<MessageField>
