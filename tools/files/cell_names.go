package files

import (
	"maps"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

// cellNames are the names by which a session knows the cells of notebooks. The zero value
// is empty. Its methods may be called concurrently.
type cellNames struct {
	mu     sync.Mutex
	byPath map[string]*notebook.Names // by resolved path
}

// cellNamesOf returns the names that s knows. A fork starts with a copy of them.
func cellNamesOf(s *pegboard.Session) *cellNames {
	return cellNamesKey.GetOrInit(s, func() *cellNames { return &cellNames{} })
}

var cellNamesKey = pegboard.NewClonedKey("names of notebook cells", (*cellNames).clone)

// of returns the names of the cells of the notebook at the path real, or nil.
func (all *cellNames) of(real string) *notebook.Names {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.byPath[real]
}

// set records the names of the cells of the notebook at the path real. Nil means that
// they go by their places.
func (all *cellNames) set(real string, names *notebook.Names) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byPath == nil {
		all.byPath = map[string]*notebook.Names{}
	}
	all.byPath[real] = names
}

// clone returns the names with which a fork starts.
func (all *cellNames) clone() *cellNames {
	all.mu.Lock()
	defer all.mu.Unlock()
	return &cellNames{byPath: maps.Clone(all.byPath)}
}
