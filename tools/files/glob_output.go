package files

import (
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A GlobOutput is the Result.Data of a [Glob] call.
type GlobOutput struct {
	DurationMs int64 `json:"durationMs"`
	NumFiles   int   `json:"numFiles"`
	// Filenames are relative to the session's directory if they are below it, and
	// absolute otherwise. The file changed last comes first.
	Filenames    []string `json:"filenames"`
	Truncated    bool     `json:"truncated"`    // there are more files
	TotalMatches int      `json:"totalMatches"` // files found, without those that were found to be hidden
	TimedOut     bool     `json:"timedOut,omitempty"`
	Hidden       int      `json:"hidden,omitempty"`     // files that permission rules left out
	Unreadable   int      `json:"unreadable,omitempty"` // directories that could not be read

	note string // for the model
}

// globResult returns the result for the model: one path per line, then notices. A path
// that contains a line end or other control characters is quoted like a Go string.
func globResult(out GlobOutput) *pegboard.Result {
	var shown []string
	for _, name := range out.Filenames {
		shown = append(shown, quotePath(name))
	}
	if len(shown) == 0 {
		shown = append(shown, "No files found")
	}
	if out.note != "" {
		shown = append(shown, "["+out.note+"]")
	}
	if out.Truncated {
		shown = append(shown, fmt.Sprintf("[Cut: the %d files changed last of %d. Use a narrower pattern or path to see others.]", out.NumFiles, out.TotalMatches))
	}
	if out.TimedOut {
		shown = append(shown, "[Incomplete: the search took too long and was stopped. Use a narrower pattern or path.]")
	}
	if out.Unreadable > 0 {
		shown = append(shown, fmt.Sprintf("[%d of the directories could not be read.]", out.Unreadable))
	}
	if out.Hidden > 0 {
		shown = append(shown, fmt.Sprintf("[%s left out, for want of permission to read: tell the user if they are needed.]", plural(out.Hidden, "file")))
	}
	return textResult(strings.Join(shown, "\n"), out)
}
