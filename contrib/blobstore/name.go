package blobstore

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/media"
)

const (
	maxSlug      = 40 // characters of an id in a name
	maxExtension = 10
)

// refForm is the form of all refs, and folderForm that of the folders of sessions. What has
// another form was not made by this package.
var (
	refForm    = regexp.MustCompile(`^[a-z0-9-]{1,40}\.[0-9a-f]{32}\.[a-z0-9]{1,10}$`)
	folderForm = regexp.MustCompile(`^[a-z0-9-]{1,40}\.[0-9a-f]{32}$`)
)

// refOf returns the ref of a result, given the digest of its call and its bytes.
func refOf(callID, mimeType string, digest []byte) string {
	extension := media.Extension(mimeType)
	if len(extension) > maxExtension || strings.Trim(extension, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		extension = "bin"
	}
	return slug(callID) + "." + hex.EncodeToString(digest[:16]) + "." + extension
}

// folderOf returns the folder of a session. Sessions whose ids differ only in the case of
// letters have different ones.
func folderOf(session string) string {
	digest := sha256.Sum256([]byte(session))
	return slug(session) + "." + hex.EncodeToString(digest[:16])
}

// slug returns an id with a hyphen for each character that some bucket does not allow in a
// key. It makes keys readable.
func slug(id string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(id) {
		if b.Len() == maxSlug {
			break
		}
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else {
			b.WriteByte('-')
		}
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()
}
