"""PROPFIND and PROPPATCH: what is asked for, and the multistatus that answers."""
import re
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape

from .answers import Answer, Refusal

DAV = "DAV:"
OC = "http://owncloud.org/ns"
NC = "http://nextcloud.org/ns"
PREFIXES = {DAV: "d", "http://sabredav.org/ns": "s", OC: "oc", NC: "nc"}


def parsed(data, root):
    """The document's root, checked; None for no document."""
    if not data:
        return None
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise Refusal(400, "Document types are not allowed")
    try:
        element = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise Refusal(400, f"{error}") from None
    if element.tag != "{DAV:}" + root:
        raise Refusal(400, f"Expected {{DAV:}}{root} but received {element.tag} as the root element")
    return element


def split(tag):
    match = re.fullmatch(r"\{(.*)\}(.*)", tag)
    return match.groups() if match else ("", tag)


def requested(data):
    """The names asked for; None: all of the usual."""
    element = parsed(data, "propfind")
    if element is None or element.find("{DAV:}prop") is None:
        return None
    return [child.tag for child in element.find("{DAV:}prop")]


def changes(data):
    """(name, inner XML or None to remove, text) in document order."""
    element = parsed(data, "propertyupdate")
    if element is None:
        raise Refusal(400, "The request has no body")
    found = []
    for step in element:
        for prop in step.iter("{DAV:}prop"):
            for child in prop:
                text = "".join(child.itertext())
                if step.tag == "{DAV:}set":
                    inner = escape(child.text or "") + "".join(
                        ElementTree.tostring(part, encoding="unicode") for part in child)
                    found.append((child.tag, inner, text))
                elif step.tag == "{DAV:}remove":
                    found.append((child.tag, None, ""))
    return found


def element_text(tag, inner, is_plain):
    space, name = split(tag)
    prefix = "D" if is_plain and space == DAV else PREFIXES.get(space)
    if prefix:
        opened, declared = f"{prefix}:{name}", ""
    else:
        opened, declared = f"x1:{name}", f' xmlns:x1="{escape(space)}"'
    return f"<{opened}{declared}>{inner}</{opened}>" if inner else f"<{opened}{declared}/>"


def multistatus(responses, is_plain=False, headers=()):
    """responses: (href, [(status line, [(tag, inner XML)])])."""
    d = "D" if is_plain else "d"
    spaces = f'xmlns:{d}="DAV:"'
    if not is_plain:
        spaces += "".join(f' xmlns:{prefix}="{space}"' for space, prefix in PREFIXES.items() if space != DAV)
    out = [f'<?xml version="1.0"?>\n<{d}:multistatus {spaces}>']
    for href, groups in responses:
        out.append(f"<{d}:response><{d}:href>{escape(href)}</{d}:href>")
        for status, properties in groups:
            inner = "".join(element_text(tag, value, is_plain) for tag, value in properties)
            out.append(
                f"<{d}:propstat><{d}:prop>{inner}</{d}:prop><{d}:status>HTTP/1.1 {status}</{d}:status></{d}:propstat>")
        out.append(f"</{d}:response>")
    out.append(f"</{d}:multistatus>\n")
    return Answer(207, headers, "".join(out).encode("utf-8", "surrogateescape"), "application/xml; charset=utf-8")
