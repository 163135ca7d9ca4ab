package languageserver_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// serverFor returns a server of a pool that ends with the test.
func serverFor(t *testing.T, c languageserver.Config, dir string) *languageserver.Server {
	t.Helper()
	pool := languageserver.NewPool()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, pool.Close(ctx))
	})
	s, err := pool.Server(c, dir)
	require.NoError(t, err)
	return s
}

// show returns the start of a location, with a path below dir.
func show(dir string, l languageserver.Location) string {
	name, err := filepath.Rel(dir, l.Path)
	if err != nil {
		name = l.URI
	}
	return fmt.Sprintf("%s:%d:%d", filepath.ToSlash(name), l.Range.Start.Line, l.Range.Start.Column)
}

func newTimeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), d)
}
