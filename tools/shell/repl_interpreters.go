package shell

import (
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// interpreters are the interpreters of one session.
type interpreters struct {
	registered sync.Once // with the session, which closes the table
	table      proc.Table

	mu  sync.Mutex
	all map[string]*interpreter // by language
}

// get returns the interpreter of a language in the session s.
func (is *interpreters) get(s *pegboard.Session, language string) *interpreter {
	is.registered.Do(func() { s.OnClose("interpreters", is.table.Close) })
	is.mu.Lock()
	defer is.mu.Unlock()
	i := is.all[language]
	if i == nil {
		i = &interpreter{table: &is.table, language: language}
		if is.all == nil {
			is.all = map[string]*interpreter{}
		}
		is.all[language] = i
	}
	return i
}
