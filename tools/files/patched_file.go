package files

import "github.com/seed49eaa51d/pegboard"

// A PatchedFile is a file that a patch has changed.
type PatchedFile struct {
	FilePath        string          `json:"filePath"`            // absolute
	MovedFrom       string          `json:"movedFrom,omitempty"` // absolute path that the file had, if it was moved
	Type            string          `json:"type"`                // "add", "update" or "delete"
	OriginalFile    *string         `json:"originalFile"`        // nil if there was none, or if it is not text
	StructuredPatch []pegboard.Hunk `json:"structuredPatch"`
}

// mark returns the letter that the model sees before the path.
func (f PatchedFile) mark() string {
	return map[string]string{"add": "A", "update": "M", "delete": "D"}[f.Type]
}
