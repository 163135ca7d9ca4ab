// Package toolname derives the name under which a model sees an external tool. The name
// depends on the raw names of the source and the tool alone, not on the other attached
// tools or on the order of attaching.
package toolname

import (
	"crypto/sha1" //nolint:gosec // a short name, not a secret
	"encoding/hex"
	"strings"
)

// Prefix begins the exposed name of every external tool.
const Prefix = "mcp__"

// MaxLen is the length in bytes of the longest name that every provider accepts.
const MaxLen = 64

// Exposed returns mcp__source__tool. Each character that a provider might refuse is
// folded to an underscore. A name over MaxLen is cut, and ends in the first twelve
// hexadecimal digits of the SHA-1 of the raw names.
func Exposed(source, tool string) string {
	name := Server(source) + "__" + fold(tool)
	if len(name) <= MaxLen {
		return name
	}
	sum := sha1.Sum([]byte(source + "\x00" + tool)) //nolint:gosec // as above
	suffix := "_" + hex.EncodeToString(sum[:])[:12]
	return name[:MaxLen-len(suffix)] + suffix
}

// Server returns the prefix of the names of all tools of source. A permission rule uses
// it as the name of the whole server.
func Server(source string) string { return Prefix + fold(source) }

// ServerIn returns the prefix of an exposed name up to the second separator. That is the
// server, unless the source's own name contains the separator. It returns "" for a name
// that is not an external tool's.
func ServerIn(name string) string {
	rest, ok := strings.CutPrefix(name, Prefix)
	if !ok {
		return ""
	}
	source, _, ok := strings.Cut(rest, "__")
	if !ok {
		return ""
	}
	return Prefix + source
}

// IsExposed reports whether name may be an exposed name: it begins like one, is not too long,
// and has no character that is folded.
func IsExposed(name string) bool {
	return len(name) <= MaxLen && strings.HasPrefix(name, Prefix) && fold(name) == name
}

func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
}
