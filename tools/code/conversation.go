package code

import (
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// A conversation has the servers that all agents of a conversation share.
type conversation struct {
	pool   *languageserver.Pool
	ending sync.Once // registers the end of pool
}

var conversations = pegboard.NewKey[*conversation]("language servers")

// poolOf returns the servers of the conversation of s.
func poolOf(s *pegboard.Session) *languageserver.Pool {
	c := conversations.GetOrInitRoot(s, func() *conversation {
		return &conversation{pool: languageserver.NewPool()}
	})
	c.ending.Do(func() { // not in the func above, which GetOrInitRoot calls under its lock
		s.OnMainClose("language servers", c.pool.Close)
	})
	return c.pool
}
