// Package toolname derives the name under which a model sees an external tool.
// The name is a function of the raw pair of source and tool alone, so it is the
// same whatever else is attached and in whichever order.
package toolname

import (
	"crypto/sha1" //nolint:gosec // a short name, not a secret
	"encoding/hex"
	"strings"
)

// Prefix begins the exposed name of every external tool.
const Prefix = "mcp__"

// MaxLen is the longest name that every provider takes, in bytes.
const MaxLen = 64

// Exposed returns mcp__source__tool with every character that a provider might
// refuse folded to an underscore. A name over MaxLen is cut, and ends in twelve
// hexadecimal digits of the SHA-1 of the raw pair.
func Exposed(source, tool string) string {
	name := Server(source) + "__" + fold(tool)
	if len(name) <= MaxLen {
		return name
	}
	sum := sha1.Sum([]byte(source + "\x00" + tool)) //nolint:gosec // as above
	suffix := "_" + hex.EncodeToString(sum[:])[:12]
	return name[:MaxLen-len(suffix)] + suffix
}

// Server returns the prefix of the names of all tools of source, which is also
// how a rule names the whole server.
func Server(source string) string { return Prefix + fold(source) }

// ServerIn returns the beginning of an exposed name up to the tool's, as far as the
// name tells: a source may have the separator in its own. It is empty if name is not
// that of an external tool.
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

func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
}
