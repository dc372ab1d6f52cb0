// What an S3 server says besides taking and handing out plain objects, which nginx does by itself.
import crypto from 'crypto';
import fs from 'fs';

const namespace = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';

// Of a PUT: Amazon's is the MD5 of the body; here it is the one that the client says.
function etagOfPut(request) {
    return `"${Buffer.from(request.headersIn['Content-MD5'], 'base64').toString('hex')}"`;
}

function escaped(text) {
    return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

function xml(request, status, text) {
    request.headersOut['Content-Type'] = 'application/xml';
    request.return(status, `<?xml version="1.0" encoding="UTF-8"?>\n${text}`);
}

function error(request, status, code) {
    xml(request, status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

function exists(path) {
    try {
        return fs.statSync(path);
    } catch (e) {
        return undefined;
    }
}

function removed(path) {
    try {
        fs.unlinkSync(path);
    } catch (e) {
        // It was not there.
    }
}

function upload(root, id) {
    return /^[0-9a-f]{32}$/.test(id || '') && exists(`${root}/.uploads/${id}`) ? `${root}/.uploads/${id}` : undefined;
}

// Objects in parts are a note of their size and their parts, which stay as they are: nothing is copied together.
function note(root, bucket, key) {
    return `${root}/.whole/${bucket}/${key}`;
}

function path(request) {
    return request.variables.request_uri.split('?')[0].split('/').slice(1).map(decodeURIComponent);
}

function answer(request) {
    const root = request.variables.sink_root, names = path(request);
    const bucket = names[0], key = names.slice(1).join('/'), args = request.args, method = request.method;
    if (!bucket || names.some((name) => name === '..')) return error(request, 400, 'InvalidRequest');
    if (!key) return ofBucket(request, root, bucket);
    if (method === 'POST' && args.uploads !== undefined) return create(request, root, bucket, key);
    if (args.uploadId !== undefined) return ofUpload(request, root, bucket, key);
    if (method === 'DELETE') {
        removed(`${root}/${bucket}/${key}`);
        removed(note(root, bucket, key));
        return request.return(204);
    }
    return error(request, 501, 'NotImplemented');
}

function create(request, root, bucket, key) {
    const id = request.variables.request_id;
    fs.mkdirSync(`${root}/.uploads/${id}`);
    xml(request, 200, `<InitiateMultipartUploadResult ${namespace}><Bucket>${escaped(bucket)}</Bucket>`
        + `<Key>${escaped(key)}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
}

function ofUpload(request, root, bucket, key) {
    const folder = upload(root, request.args.uploadId);
    if (!folder) return error(request, 404, 'NoSuchUpload');
    const numbers = fs.readdirSync(folder).map(Number).sort((a, b) => a - b);
    switch (request.method) {
    case 'GET':
        const after = Number(request.args['part-number-marker'] || 0);
        const page = numbers.filter((number) => number > after).slice(0, 1000);
        const last = page.length ? page[page.length - 1] : after;
        return xml(request, 200, `<ListPartsResult ${namespace}><Bucket>${escaped(bucket)}</Bucket>`
            + `<Key>${escaped(key)}</Key><UploadId>${request.args.uploadId}</UploadId>`
            + page.map((number) => `<Part><PartNumber>${number}</PartNumber><ETag>&quot;sink-${number}&quot;</ETag>`
                + `<Size>${fs.statSync(`${folder}/${number}`).size}</Size></Part>`).join('')
            + `<NextPartNumberMarker>${last}</NextPartNumberMarker><MaxParts>1000</MaxParts>`
            + `<IsTruncated>${numbers.some((number) => number > last)}</IsTruncated></ListPartsResult>`);
    case 'DELETE':
        numbers.forEach((number) => removed(`${folder}/${number}`));
        fs.rmdirSync(folder);
        return request.return(204);
    case 'POST':
        return complete(request, root, bucket, key, folder);
    default:
        return error(request, 501, 'NotImplemented');
    }
}

function complete(request, root, bucket, key, folder) {
    const object = `${root}/${bucket}/${key}`, whole = note(root, bucket, key);
    if (request.headersIn['If-None-Match'] === '*' && (exists(object) || exists(whole))) {
        return error(request, 412, 'PreconditionFailed');
    }
    const parts = (request.requestText || '').split('<Part>').slice(1).map((part) => ({
        number: (part.match(/<PartNumber>(\d+)</) || [])[1],
        md5: (part.match(/<ETag>(?:"|&quot;|&#34;)?([0-9a-f]{32})/) || [])[1],
    }));
    const stats = parts.map((part) => exists(`${folder}/${part.number}`));
    if (!parts.length || stats.some((stat) => !stat)) return error(request, 400, 'InvalidPart');
    const all = parts.every((part) => part.md5) && parts.map((part) => part.md5).join('');
    const digest = all ? crypto.createHash('md5').update(Buffer.from(all, 'hex')).digest('hex')
        : `sink-${request.variables.request_id}`;
    const etag = `"${digest}-${parts.length}"`, crc32c = request.headersIn['x-amz-checksum-crc32c'] || '';
    const size = stats.reduce((sum, stat) => sum + stat.size, 0);
    removed(object);
    const folders = whole.split('/');
    for (let depth = root.split('/').length; depth < folders.length; depth++) {
        const outer = folders.slice(0, depth).join('/');
        if (!exists(outer)) fs.mkdirSync(outer);
    }
    fs.writeFileSync(whole, JSON.stringify({ etag, size, crc32c, folder }));
    // nginx would make 304 of a 200 under that condition.
    xml(request, request.headersIn['If-None-Match'] ? 201 : 200, `<CompleteMultipartUploadResult ${namespace}><Bucket>${escaped(bucket)}</Bucket>`
        + `<Key>${escaped(key)}</Key><ETag>${escaped(etag)}</ETag>`
        + (crc32c ? `<ChecksumCRC32C>${escaped(crc32c)}</ChecksumCRC32C><ChecksumType>FULL_OBJECT</ChecksumType>` : '')
        + '</CompleteMultipartUploadResult>');
}

// HEAD of an object in parts; nobody reads one here.
function whole(request) {
    const names = path(request);
    const about = JSON.parse(fs.readFileSync(note(request.variables.sink_root, names[0], names.slice(1).join('/'))));
    if (request.method !== 'HEAD') return error(request, 501, 'NotImplemented');
    request.headersOut['ETag'] = about.etag;
    request.headersOut['Content-Length'] = about.size;
    if (about.crc32c && request.headersIn['x-amz-checksum-mode']) {
        request.headersOut['x-amz-checksum-crc32c'] = about.crc32c;
    }
    request.status = 200;
    request.sendHeader();
    request.finish();
}

function ofBucket(request, root, bucket) {
    const folder = `${root}/${bucket}`, args = request.args;
    switch (request.method) {
    case 'PUT':
        if (!exists(folder)) fs.mkdirSync(folder);
        return request.return(200);
    case 'HEAD':
        return request.return(exists(folder) ? 200 : 404);
    case 'GET':
        if (!exists(folder)) return error(request, 404, 'NoSuchBucket');
        if (args.location !== undefined) return xml(request, 200, `<LocationConstraint ${namespace}/>`);
        if (args.uploads !== undefined) {
            return xml(request, 200, `<ListMultipartUploadsResult ${namespace}><IsTruncated>false</IsTruncated>`
                + '</ListMultipartUploadsResult>');
        }
        return list(request, root, bucket);
    default:
        return error(request, 501, 'NotImplemented');
    }
}

function keys(folder, before, found) {
    if (!exists(folder)) return found;
    fs.readdirSync(folder, { withFileTypes: true }).forEach((entry) => {
        if (entry.isDirectory()) keys(`${folder}/${entry.name}`, `${before}${entry.name}/`, found);
        else found.push(before + entry.name);
    });
    return found;
}

function list(request, root, bucket) {
    const args = request.args, prefix = args.prefix || '', delimiter = args.delimiter || '';
    const after = args['continuation-token'] || args['start-after'] || args.marker || '';
    const most = Math.min(Number(args['max-keys'] || 1000), 1000), encode = args['encoding-type'] === 'url';
    const text = (key) => encode ? encodeURIComponent(key).replace(/%2F/g, '/') : escaped(key);
    const all = keys(`${root}/${bucket}`, '', keys(`${root}/.whole/${bucket}`, '', []));
    const named = all.filter((key) => key.startsWith(prefix)).map((key) => {
        const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
        return end < 0 ? key : key.slice(0, end + delimiter.length);
    }).filter((name) => name > after).sort();
    const names = named.filter((name, index) => index === 0 || name !== named[index - 1]);
    const page = names.slice(0, most), more = names.length > page.length;
    const entry = (name) => {
        const stat = exists(`${root}/${bucket}/${name}`);
        if (!stat || stat.isDirectory()) {
            const about = exists(note(root, bucket, name));
            if (!about || about.isDirectory()) return `<CommonPrefixes><Prefix>${text(name)}</Prefix></CommonPrefixes>`;
            const known = JSON.parse(fs.readFileSync(note(root, bucket, name)));
            return contents(name, known.size, known.etag, about.mtime);
        }
        const time = Math.floor(stat.mtimeMs / 1000);
        return contents(name, stat.size, `"${time.toString(16)}-${stat.size.toString(16)}"`, stat.mtime);
    };
    const contents = (name, size, etag, time) => `<Contents><Key>${text(name)}</Key>`
        + `<LastModified>${time.toISOString()}</LastModified><ETag>${escaped(etag)}</ETag><Size>${size}</Size>`
        + '<StorageClass>STANDARD</StorageClass></Contents>';
    xml(request, 200, `<ListBucketResult ${namespace}><Name>${escaped(bucket)}</Name><Prefix>${text(prefix)}</Prefix>`
        + (encode ? '<EncodingType>url</EncodingType>' : '') + `<MaxKeys>${most}</MaxKeys>`
        + `<KeyCount>${page.length}</KeyCount><IsTruncated>${more}</IsTruncated>`
        + (more ? `<NextContinuationToken>${text(page[page.length - 1])}</NextContinuationToken>`
            + `<NextMarker>${text(page[page.length - 1])}</NextMarker>` : '')
        + page.map(entry).join('') + '</ListBucketResult>');
}

export default { etagOfPut, answer, whole };
