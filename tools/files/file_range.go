package files

import (
	"crypto/sha256"
	"hash"
)

// A fileRange is a part of a file by its bytes, as they stand there.
type fileRange struct {
	from, to int64
	hash     hash.Hash // of the bytes
}

// clone returns a stretch that grows on its own.
func (s fileRange) clone() fileRange {
	if c, ok := s.hash.(hash.Cloner); ok { // SHA-256 is one
		if sum, err := c.Clone(); err == nil {
			s.hash = sum
		}
	}
	return s
}

// digest returns the sum of the bytes.
func (s fileRange) digest() (d [sha256.Size]byte) {
	s.hash.Sum(d[:0])
	return d
}
