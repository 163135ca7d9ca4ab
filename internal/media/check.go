package media

import (
	"encoding/base64"
	"fmt"
	"mime"
	"strings"
)

// The limits of Anthropic's Messages API for one image. They are taken from the API's own
// error messages, which users quote in public issues. A request with more than 20 images
// has many, and a conversation may come to that.
const (
	AnthropicEncoded  = 5 << 20 // bytes in base64
	AnthropicEdge     = 8000    // pixels
	AnthropicManyEdge = 2000    // pixels, in a request with many images
)

// DefaultPixels is the number of pixels of a square with the longest edge. No provider
// states such a limit.
const DefaultPixels = AnthropicEdge * AnthropicEdge

// Limits bound an image. For each number 0 means the default, and a negative number means
// no limit.
type Limits struct {
	Encoded int64 // bytes in base64; default [AnthropicEncoded]
	Pixels  int64 // width times height; default [DefaultPixels]
	Edge    int64 // pixels of the longer edge; default [AnthropicEdge]
}

// A Reason is the reason for refusing an image.
type Reason string

// The reasons, in the order in which Check looks for them.
const (
	Unreadable    Reason = "unreadable" // not an image of a known type, or broken
	WrongType     Reason = "wrong type" // the image has another type than its MIME type
	TooManyBytes  Reason = "too large"
	EdgeTooLong   Reason = "too long"
	TooManyPixels Reason = "too many"
)

// A Refusal is the answer to an image that should not be sent.
type Refusal struct {
	Reason Reason
	// Image is the content of the header; its type is set whenever it is known. An image
	// of the [WrongType] can be checked again, and sent, under this type.
	Image Image
	// Text is one sentence for a model with the reason and a remedy.
	Text string
}

// Check returns nil if an image may be sent under a MIME type. Data is the image itself,
// not its base64 form.
func Check(data []byte, mimeType string, limits Limits) *Refusal {
	image, err := Describe(data)
	if err != nil {
		return &Refusal{Reason: Unreadable, Image: image,
			Text: fmt.Sprintf("The image cannot be shown: %v. Convert it to PNG or JPEG.", err)}
	}
	refuse := func(reason Reason, format string, args ...any) *Refusal {
		return &Refusal{Reason: reason, Image: image, Text: fmt.Sprintf(format, args...)}
	}
	encoded := int64(base64.StdEncoding.EncodedLen(len(data)))
	switch {
	case canonicalType(mimeType) != image.Type:
		return refuse(WrongType, "The image cannot be shown: it was sent as %q but is %s. Send it as that.", mimeType, image.Type)
	case exceeds(encoded, limits.Encoded, AnthropicEncoded):
		return refuse(TooManyBytes, "The image cannot be shown: it has %d bytes, %d in base64, and at most %d are allowed there. Make it smaller, or save it as JPEG.",
			len(data), encoded, orDefault(limits.Encoded, AnthropicEncoded))
	case exceeds(image.Edge(), limits.Edge, AnthropicEdge):
		return refuse(EdgeTooLong, "The image cannot be shown: it is %d by %d pixels, and at most %d are allowed on each side. Make it smaller, or cut a part out of it.",
			image.Width, image.Height, orDefault(limits.Edge, AnthropicEdge))
	case exceeds(image.Pixels(), limits.Pixels, DefaultPixels):
		return refuse(TooManyPixels, "The image cannot be shown: it is %d by %d pixels, and at most %d are allowed in all. Make it smaller, or cut a part out of it.",
			image.Width, image.Height, orDefault(limits.Pixels, DefaultPixels))
	}
	return nil
}

func exceeds(n, limit, standard int64) bool {
	limit = orDefault(limit, standard)
	return limit >= 0 && n > limit
}

func orDefault(limit, standard int64) int64 {
	if limit == 0 {
		return standard
	}
	return limit
}

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
