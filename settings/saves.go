package settings

import (
	"io/fs"
	"slices"
	"sync"
)

// maxSaves is how many saves of one file are remembered.
const maxSaves = 1024

// saves are the files as this process has saved them, so that its own saves are no changes.
// The nil value remembers nothing.
type saves struct {
	mu    sync.Mutex
	files map[string][]fs.FileInfo // by path: a file before the first save, and after each
}

// add remembers that this process has replaced before, which may be nil, by after.
func (s *saves) add(path string, before, after fs.FileInfo) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string][]fs.FileInfo{}
	}
	chain := s.files[path]
	if len(chain) == 0 || !sameInfo(chain[len(chain)-1], before) { // another program has saved
		chain = []fs.FileInfo{before}
	}
	if len(chain) == maxSaves {
		chain = slices.Delete(chain, 0, maxSaves/2)
	}
	s.files[path] = append(chain, after)
}

// made reports whether this process alone has made now of then.
func (s *saves) made(path string, then, now fs.FileInfo) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	chain := s.files[path]
	if len(chain) == 0 || !sameInfo(chain[len(chain)-1], now) {
		return false
	}
	return slices.ContainsFunc(chain, func(info fs.FileInfo) bool { return sameInfo(info, then) })
}
