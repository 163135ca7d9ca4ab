package pegboard

// MaxInMemory is the number of bytes that a tool returns in memory to code that calls it:
// of one text, or of one value as JSON. Our choice: most files are shorter.
const MaxInMemory = 4 << 20

// A FileValue is a part of an [Outcome.Value] that is in a file: because it is longer than
// [MaxInMemory], or because it is not text. It may be the whole value, or stand in a
// map[string]any or []any. Code reads the file itself.
type FileValue struct {
	Path string `json:"path"` // absolute
	Size int64  `json:"size"` // in bytes
	// MIME is the media type: "text/plain; charset=utf-8" for UTF-8, "application/json" for
	// a value that was too long. Empty means bytes of an unknown type.
	MIME string `json:"mime,omitempty"`
}
