package treefence

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// ofInput returns why a call of an attached tool is denied by its input, since such a tool need
// not say which places it touches, or "". It denies a call whose input names a place in the
// checkout, and that may write. Names that are not absolute are left to the rules, since the
// server resolves them.
func (f *Fence) ofInput(h *pegboard.HookCall) string {
	if h.Tool == nil || !h.Tool.Info().Origin.External() || h.Call.Facts().ReadOnly {
		return ""
	}
	var input any
	if err := json.Unmarshal(h.Call.Input, &input); err != nil {
		return "The input is no JSON, so that it cannot be seen what it names."
	}
	name := f.named(input, h.Call.Session().Home())
	if name == "" {
		return ""
	}
	return fmt.Sprintf("The input names %s, which belongs to %s, and %s may write there. Name the path in the worktree: %s.", name, f.Owner, h.Tool.Info().Name, f.standIn(name))
}

// named returns a place in the checkout that a JSON value names in one of its strings, or "".
func (f *Fence) named(value any, home string) string {
	switch value := value.(type) {
	case string:
		return f.namedIn(value, home)
	case []any:
		for _, v := range value {
			if name := f.named(v, home); name != "" {
				return name
			}
		}
	case map[string]any:
		for k, v := range value {
			if name := f.namedIn(k, home); name != "" {
				return name
			}
			if name := f.named(v, home); name != "" {
				return name
			}
		}
	}
	return ""
}

// namedIn is named for a string, which may be a path, a URL of a file, or a text with paths.
func (f *Fence) namedIn(text, home string) string {
	name := text
	if len(name) > len("file://") && strings.EqualFold(name[:len("file://")], "file://") {
		name = name[len("file://"):]
	}
	if rest, ok := strings.CutPrefix(name, "~"); ok && home != "" {
		name = home + rest
	}
	if filepath.IsAbs(name) && !strings.ContainsAny(name, "\x00\n") && f.leadsOut(filepath.Clean(name)) {
		return filepath.Clean(name)
	}
	for _, place := range f.roots() {
		_, rest, found := strings.Cut(text, place)
		for ; found; _, rest, found = strings.Cut(rest, place) {
			if end := strings.IndexAny(rest, " \t\r\n'\"`<>|;,:()"); rest == "" || end == 0 {
				return place
			} else if rest[0] == filepath.Separator {
				if end < 0 {
					end = len(rest)
				}
				if whole := filepath.Clean(place + rest[:end]); f.leadsOut(whole) {
					return whole
				}
			}
		}
	}
	return ""
}

// leadsOut reports whether a path is in the checkout or its repository, and not in the
// worktree.
func (f *Fence) leadsOut(name string) bool {
	real := realpath.Resolve(name)
	return !realpath.Contains(f.Path, real) && realpath.LeadsThrough(name, f.roots())
}
