package media

import (
	"encoding/base64"
	"fmt"
	"mime"
	"strings"
)

// The limits of Anthropic's Messages API for one image, as the errors have them that
// it answers with and users quote in public issues. They count the bytes in base64.
// Many images are more than 20 in a request, which a conversation comes to have.
const (
	AnthropicEncoded  = 5 << 20 // bytes in base64
	AnthropicEdge     = 8000    // pixels
	AnthropicManyEdge = 2000    // pixels, in a request with many images
)

// DefaultPixels is a limit of our own: what a square of the largest edge has.
const DefaultPixels = AnthropicEdge * AnthropicEdge

// Limits say which images may be sent. For each number 0 means the default, and less
// than 0 no limit.
type Limits struct {
	Encoded int64 // bytes after base64; default [AnthropicEncoded]
	Pixels  int64 // width times height; default [DefaultPixels]
	Edge    int64 // pixels of the longer edge; default [AnthropicEdge]
}

// A Reason is why an image is refused.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	Unreadable Reason = "unreadable" // no image of a known type, or broken
	WrongType  Reason = "wrong type" // something else than it was said to be
	TooLarge   Reason = "too large"  // too many bytes
	TooLong    Reason = "too long"   // too many pixels on one side
	TooMany    Reason = "too many"   // too many pixels
)

// A Refusal says why an image should not be sent.
type Refusal struct {
	Reason Reason
	// Image is what was found; its type is set whenever it is known. An image of the
	// [WrongType] can be checked again as what it is, and sent so.
	Image Image
	// Text says it in one sentence for a model, and what to do next.
	Text string
}

// Check says whether an image may be sent under a MIME type, and why not. It returns
// nil if it may. Data is the image itself, not its base64 form.
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
	case normal(mimeType) != image.Type:
		return refuse(WrongType, "The image cannot be shown: it was sent as %q but is %s. Send it as that.", mimeType, image.Type)
	case exceeds(encoded, limits.Encoded, AnthropicEncoded):
		return refuse(TooLarge, "The image cannot be shown: it has %d bytes, %d in base64, and at most %d are allowed there. Make it smaller, or save it as JPEG.",
			len(data), encoded, or(limits.Encoded, AnthropicEncoded))
	case exceeds(image.Edge(), limits.Edge, AnthropicEdge):
		return refuse(TooLong, "The image cannot be shown: it is %d by %d pixels, and at most %d are allowed on each side. Make it smaller, or cut a part out of it.",
			image.Width, image.Height, or(limits.Edge, AnthropicEdge))
	case exceeds(image.Pixels(), limits.Pixels, DefaultPixels):
		return refuse(TooMany, "The image cannot be shown: it is %d by %d pixels, and at most %d are allowed in all. Make it smaller, or cut a part out of it.",
			image.Width, image.Height, or(limits.Pixels, DefaultPixels))
	}
	return nil
}

func exceeds(n, limit, standard int64) bool {
	most := or(limit, standard)
	return most >= 0 && n > most
}

func or(limit, standard int64) int64 {
	if limit == 0 {
		return standard
	}
	return limit
}

// normal returns a MIME type as the constants here spell it.
func normal(mimeType string) string {
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
