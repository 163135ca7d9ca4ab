package files

import (
	"maps"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// knownProblems are the problems that a session knows of files since it has changed them.
// The zero value is empty. Its methods may be called concurrently.
type knownProblems struct {
	mu     sync.Mutex
	byPath map[string][]string // by resolved path
}

// problemsOf returns the problems that s knows. A fork starts with a copy of them.
func problemsOf(s *pegboard.Session) *knownProblems {
	return knownProblemsKey.GetOrInit(s, func() *knownProblems { return &knownProblems{} })
}

var knownProblemsKey = pegboard.NewClonedKey("problems in files", (*knownProblems).clone)

func (all *knownProblems) of(real string) (problems []string, known bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	problems, known = all.byPath[real]
	return problems, known
}

// set records the problems of a file, or that nobody knows them.
func (all *knownProblems) set(real string, problems []string, known bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byPath == nil {
		all.byPath = map[string][]string{}
	}
	if all.byPath[real] = slices.Clone(problems[:min(len(problems), maxProblems)]); !known {
		delete(all.byPath, real)
	}
}

// clone returns the problems with which a fork starts.
func (all *knownProblems) clone() *knownProblems {
	all.mu.Lock()
	defer all.mu.Unlock()
	return &knownProblems{byPath: maps.Clone(all.byPath)}
}
