# shellcheck shell=bash
# shellcheck disable=SC2154 # dir is that of the script that sources this
# DIR/access.log of the WebDAV servers: a line for each request, written when it is answered or broken off, of
# tab-separated NAME=VALUE. The names are request (the request line), status, received (bytes, with the head), and those
# of headers; what was not sent is "-", and bytes that are no plain character are \xHH.

logged_headers=(Host Authorization-Scheme Content-Type Content-Length Content-Range Transfer-Encoding Expect
    Depth Destination Overwrite If If-Match If-None-Match Lock-Token Timeout X-Update-Range
    X-OC-Mtime OC-Checksum OC-Total-Length Upload-Offset Upload-Length Upload-Metadata Tus-Resumable User-Agent)

# The passwords stay out of it: only the first word of Authorization is there, as Authorization-Scheme.
apache_access_log() {
    local line='request=%r\tstatus=%>s\treceived=%I' header
    for header in "${logged_headers[@]}"; do
        case $header in
        Authorization-Scheme) line+="\\t$header=%{scheme}e" ;;
        *) line+="\\t$header=%{$header}i" ;;
        esac
    done
    cat <<CONF
SetEnvIf Authorization "^([A-Za-z]+)" scheme=\$1
LogFormat "$line" requests
SetEnvIf Request_URI "^/ready$" unlogged
CustomLog $dir/access.log requests env=!unlogged
CONF
}

nginx_access_log() {
    # nginx writes a tab in the format as it stands.
    local line=$'request=$request\tstatus=$status\treceived=$request_length' header name
    for header in "${logged_headers[@]}"; do
        name=${header,,}
        case $header in
        Authorization-Scheme) line+=$'\t'"$header=\$scheme_of_authorization" ;;
        *) line+=$'\t'"$header=\$http_${name//-/_}" ;;
        esac
    done
    cat <<CONF
    map \$http_authorization \$scheme_of_authorization {
        ~^(?<word>[A-Za-z]+) \$word;
        default -;
    }
    log_format requests '$line';
    access_log $dir/access.log requests;
CONF
}

# It has no way to log the first word of a header alone.
lighttpd_access_log() {
    local line=$'request=%r\tstatus=%>s\treceived=%I' header
    for header in "${logged_headers[@]}"; do
        case $header in
        Authorization-Scheme) line+=$'\t'"$header=-" ;;
        *) line+=$'\t'"$header=%{$header}i" ;;
        esac
    done
    cat <<CONF
accesslog.filename = "$dir/access.log"
accesslog.format = "$line"
\$HTTP["url"] == "/ready" { accesslog.filename = "" }
CONF
}
