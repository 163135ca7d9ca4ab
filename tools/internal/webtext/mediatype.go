package webtext

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/media"
)

// sniffed is the number of bytes that determine the kind of a body, as many as
// [http.DetectContentType] reads.
const sniffed = 512

// textTypes are the media types of texts that do not begin with text/ or end in +json, +xml
// or +yaml.
var textTypes = map[string]bool{
	"application/json": true, "application/ld+json": true, "application/ndjson": true, "application/x-ndjson": true,
	"application/jsonl": true, "application/json5": true, "application/xml": true, "application/xml-dtd": true,
	"application/javascript": true, "application/x-javascript": true, "application/ecmascript": true, "application/typescript": true,
	"application/yaml": true, "application/x-yaml": true, "application/toml": true, "application/sql": true,
	"application/graphql": true, "application/x-sh": true, "application/x-tex": true, "application/x-latex": true,
	"application/rtf": false, "application/x-www-form-urlencoded": true, "application/pem-certificate-chain": true,
	"application/x-subrip": true, "application/csv": true, "application/markdown": true, "message/rfc822": true,
}

// classify returns the kind of a body, its media type, and the charset that the header names.
func classify(header string, body []byte) (kind Kind, mediaType, label string) {
	claimed, label := parseHeader(header)
	head := body[:min(len(body), sniffed)]
	found, _, _ := strings.Cut(http.DetectContentType(head), ";")
	if image, err := media.Describe(body); err == nil || image.Type != "" {
		return Image, image.Type, ""
	}
	switch {
	case isUTF16(label) && (isText(claimed) || isHTML(claimed)):
	case isBinary(found, head):
		if isGeneric(claimed) || isText(claimed) || isHTML(claimed) || media.IsImage(claimed) {
			claimed = found
		}
		return Other, claimed, ""
	}
	return classifyText(claimed, found, label, body)
}

// classifyText is classify for a body that is text.
func classifyText(claimed, found, label string, body []byte) (Kind, string, string) {
	head := body[:min(len(body), 2*sniffed)]
	switch {
	case isHTML(claimed):
		if isJSON(body) {
			return Text, "application/json", label
		}
		return HTML, claimed, label
	case strings.HasSuffix(claimed, "xml") && claimed != "image/svg+xml" && hasRoot(head, "html"):
		return HTML, "application/xhtml+xml", label
	case isText(claimed):
		return Text, claimed, label
	case found == "text/html", found == "text/xml" && hasRoot(head, "html"):
		return HTML, "text/html", label
	case isGeneric(claimed), !strings.HasPrefix(claimed, "application/"):
		if !strings.HasPrefix(found, "text/") {
			found = "text/plain"
		}
		return Text, found, label
	}
	return Text, claimed, label
}

// parseHeader returns the media type and the charset of a Content-Type header, in lower case.
// Each is "" if the header has none that can be read.
func parseHeader(header string) (mediaType, label string) {
	header = header[:min(len(header), 1024)]
	mediaType, parameters, err := mime.ParseMediaType(header)
	if err == nil {
		return wellFormed(mediaType), strings.ToLower(strings.Trim(parameters["charset"], ` '"`))
	}
	first, rest, _ := strings.Cut(header, ";")
	return wellFormed(strings.ToLower(strings.TrimSpace(first))), charsetIn(rest)
}

// wellFormed returns a media type if it has the form of one, and otherwise "". A type and a
// subtype have at most 127 characters (RFC 6838).
func wellFormed(mediaType string) string {
	kind, rest, ok := strings.Cut(mediaType, "/")
	if !ok || len(kind) > 127 || len(rest) > 127 || kind == "" || rest == "" || strings.ContainsFunc(mediaType, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`"(),;<=>?@[\]{}`, c) }) {
		return ""
	}
	return mediaType
}

// charsetIn returns the charset that parameters name, in lower case, or "".
func charsetIn(parameters string) string {
	parameters = strings.ToLower(parameters)
	_, value, ok := strings.Cut(parameters, "charset")
	if value = strings.TrimSpace(value); !ok || !strings.HasPrefix(value, "=") {
		return ""
	}
	value = strings.TrimLeft(value[1:], " \t\r\n\f\"'")
	if end := strings.IndexAny(value, "\"'; \t\r\n\f"); end >= 0 {
		value = value[:end]
	}
	return value
}

func isHTML(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

func isText(mediaType string) bool {
	if isHTML(mediaType) || mediaType == "text/rtf" {
		return false
	}
	for _, suffix := range []string{"+json", "+xml", "+yaml"} {
		if strings.HasSuffix(mediaType, suffix) {
			return true
		}
	}
	return strings.HasPrefix(mediaType, "text/") || textTypes[mediaType]
}

// isGeneric reports whether a media type tells nothing.
func isGeneric(mediaType string) bool {
	switch mediaType {
	case "", "application/octet-stream", "binary/octet-stream", "application/binary", "application/x-download", "application/force-download":
		return true
	}
	return false
}

// isBinary reports whether a body that begins with head, and that sniffing found to be of a
// type, is no text. A text may begin as some binary formats do, such as "BM", and may contain a
// few control characters.
func isBinary(found string, head []byte) bool {
	if found == "application/pdf" || found == "application/postscript" {
		return true
	}
	if bytes.HasPrefix(head, []byte{0xFF, 0xFE}) || bytes.HasPrefix(head, []byte{0xFE, 0xFF}) {
		return false // a byte order mark
	}
	controls := 0
	for _, b := range head {
		if b < ' ' && !bytes.ContainsRune([]byte("\t\n\f\r\x1b"), rune(b)) {
			controls++
		}
	}
	if strings.HasPrefix(found, "text/") || found == "application/octet-stream" {
		return controls > 4 && controls*20 > len(head)
	}
	return controls > 0
}

func isJSON(body []byte) bool {
	trimmed := bytes.TrimSpace(body)
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(trimmed)
}

// hasRoot reports whether XML that begins with head has a first element of that name. Prologue
// and comments before it do not count.
func hasRoot(head []byte, name string) bool {
	for {
		start := bytes.IndexByte(head, '<')
		if start < 0 || start+1 >= len(head) {
			return false
		}
		head = head[start+1:]
		if bytes.HasPrefix(head, []byte("!--")) {
			_, after, ok := bytes.Cut(head, []byte("-->"))
			if !ok {
				return false
			}
			head = after
			continue
		}
		if head[0] == '!' || head[0] == '?' {
			continue
		}
		return len(head) > len(name) && strings.EqualFold(string(head[:len(name)]), name) && strings.IndexByte(" \t\r\n\f/>", head[len(name)]) >= 0
	}
}

func isUTF16(label string) bool {
	return strings.HasPrefix(label, "utf-16") || strings.HasPrefix(label, "utf16")
}
