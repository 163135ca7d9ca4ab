package files

import (
	"crypto/sha256"
	"hash"
)

// A fileRange is a range of bytes in a file, with their hash.
type fileRange struct {
	from, to int64
	hash     hash.Hash // of the bytes
}

// clone returns a copy whose hash is independent.
func (r fileRange) clone() fileRange {
	if c, ok := r.hash.(hash.Cloner); ok { // SHA-256 implements it
		if sum, err := c.Clone(); err == nil {
			r.hash = sum
		}
	}
	return r
}

// digest returns the hash of the bytes so far.
func (r fileRange) digest() (d [sha256.Size]byte) {
	r.hash.Sum(d[:0])
	return d
}
