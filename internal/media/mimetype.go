package media

import (
	"mime"
	"strings"
)

// Extension returns the usual file name extension for a MIME type, without the dot: "txt"
// for plain text and for an unknown type.
func Extension(mimeType string) string {
	_, sub, ok := strings.Cut(canonicalType(mimeType), "/")
	switch {
	case !ok || sub == "" || sub == "plain":
		return "txt"
	case sub == "jpeg":
		return "jpg"
	case sub == "octet-stream":
		return "bin"
	}
	return sub
}

// IsImage reports whether a MIME type, in any spelling, is that of an image.
func IsImage(mimeType string) bool { return strings.HasPrefix(canonicalType(mimeType), "image/") }

// canonicalType returns a MIME type in the spelling of this package's constants.
func canonicalType(mimeType string) string {
	if parsed, _, err := mime.ParseMediaType(mimeType); err == nil {
		mimeType = parsed
	}
	switch mimeType = strings.ToLower(strings.TrimSpace(mimeType)); mimeType {
	case "image/jpg", "image/pjpeg":
		return JPEG
	case "image/x-png":
		return PNG
	}
	return mimeType
}
