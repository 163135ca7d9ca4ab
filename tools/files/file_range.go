package files

import (
	"crypto/sha256"
	"hash"
)

// A stretch is a part of a file by its bytes, as they stand there.
type stretch struct {
	from, to int64
	sum      hash.Hash // of the bytes
}

// clone returns a stretch that grows on its own.
func (s stretch) clone() stretch {
	if c, ok := s.sum.(hash.Cloner); ok { // SHA-256 is one
		if sum, err := c.Clone(); err == nil {
			s.sum = sum
		}
	}
	return s
}

// digest returns the sum of the bytes.
func (s stretch) digest() (d [sha256.Size]byte) {
	s.sum.Sum(d[:0])
	return d
}
