package pegboard

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// A seal signs data that leaves the process with a key of the host: HMAC-SHA-256 over a JSON array,
// in which no two lists of parts have the same text. The first element names the kind of data
// and its version.
type seal struct{ key []byte }

// The kinds of data.
const (
	sealedQuestion   = "pegboard-question-v1"
	sealedSuspension = "pegboard-suspension-v1"
	sealedEntry      = "pegboard-journal-v1"
)

// sign returns the signature of parts, in hexadecimal.
func (s seal) sign(purpose string, parts ...any) string {
	text, err := json.Marshal(append([]any{purpose}, parts...))
	if err != nil {
		panic(err) // parts are strings, numbers and lists of them
	}
	m := hmac.New(sha256.New, s.key)
	m.Write(text)
	return hex.EncodeToString(m.Sum(nil))
}

// verifies reports whether signature is that of parts, in constant time.
func (s seal) verifies(signature, purpose string, parts ...any) bool {
	return hmac.Equal([]byte(signature), []byte(s.sign(purpose, parts...)))
}

// digestOf returns the SHA-256 of a text, in hexadecimal.
func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
