package spool

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The names of the package's files that are not entries.
const (
	totalName  = ".spool-total"
	sweptName  = ".spool-swept"
	sizeName   = ".spool-size"
	tempPrefix = ".spool-"
	tempSuffix = ".tmp"
)

const (
	maxSanitized = 48 // bytes of an id that a name contains
	maxExt       = 16
	idHash       = 8  // hex digits
	folderHash   = 16 // hex digits
	textHash     = 32 // hex digits; enough that different contents have different hashes
	defaultExt   = "txt"
	hashMark     = "-x" // marks a hash, to distinguish it from a date or a count
	tempRandom   = 26   // characters of rand.Text
)

// entryStem returns the name for the stream of a call, without its extension: the id with
// unsafe characters replaced, and a hash of the id.
func entryStem(id string) string {
	return sanitize(id) + hashMark + hashOf(id, idHash)
}

// sanitize replaces all characters that may have a meaning to a file system or a shell,
// and cuts the result.
func sanitize(id string) string {
	if id == "" {
		return "_"
	}
	var b strings.Builder
	for _, r := range id {
		switch {
		case isWord(r), r == '-' && b.Len() > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
		if b.Len() == maxSanitized {
			break
		}
	}
	return b.String()
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
}

func hashOf(text string, digits int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digits]
}

// extension returns ext with a dot, or .txt if it is not a plain extension.
func extension(ext string) string {
	ext = strings.ToLower(strings.TrimPrefix(ext, "."))
	if !isExtension(ext) {
		ext = defaultExt
	}
	return "." + ext
}

func isExtension(ext string) bool {
	return ext != "" && len(ext) <= maxExt && strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// isEntryName reports whether name has the form of an entry's name.
func isEntryName(name string) bool {
	stem, ext, ok := strings.Cut(name, ".")
	if !ok || !isExtension(ext) {
		return false
	}
	at := strings.LastIndex(stem, hashMark)
	if at < 1 || at > maxSanitized || stem[0] == '-' {
		return false
	}
	hash, text, twice := strings.Cut(stem[at+len(hashMark):], "-")
	if !isHash(hash, idHash) || twice && !isHash(text, textHash) {
		return false
	}
	return strings.TrimFunc(stem[:at], func(r rune) bool { return isWord(r) || r == '-' }) == ""
}

func isHash(text string, digits int) bool {
	return len(text) == digits && strings.Trim(text, "0123456789abcdef") == ""
}

func tempName() string { return tempPrefix + rand.Text() + tempSuffix }

func isTempName(name string) bool {
	random, ok := strings.CutPrefix(name, tempPrefix)
	if !ok {
		return false
	}
	random, ok = strings.CutSuffix(random, tempSuffix)
	return ok && len(random) == tempRandom && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// folderName returns the name of a session's folder: the session itself if it is plain
// lower-case text, such as a UUID, and otherwise one with a hash.
func folderName(session string) string {
	if session == strings.ToLower(session) && session == sanitize(session) && !isReserved(session) {
		return session
	}
	return sanitize(session) + hashMark + hashOf(session, folderHash)
}

// isReserved reports whether a plain name is a device on Windows, or has the form of a
// folder name with a hash.
func isReserved(name string) bool {
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	if len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) {
		return true
	}
	at := strings.LastIndex(name, hashMark)
	return at >= 0 && isHash(name[at+len(hashMark):], folderHash)
}
