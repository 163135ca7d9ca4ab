package languageserver_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// TestPoolKeepsEightIdleProcesses asks the servers of ten roots one after the other, and then
// the first of them again.
func TestPoolKeepsEightIdleProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const roots = 10
	for i := range roots {
		require.NoError(t, os.Mkdir(filepath.Join(dir, strconv.Itoa(i)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, strconv.Itoa(i), "a.x"), []byte("a b\n"), 0o600))
	}
	synctest.Test(t, func(t *testing.T) {
		f := &fake{on: onDefinition(func(r *fakeRun, m message) { r.answer(m, `null`) })}
		pool := languageserver.NewPoolWith(f.serve)
		ask := func(i int) *languageserver.Server {
			c := languageserver.Config{Name: "fake", Command: []string{"fake"}, Languages: map[string]string{".x": "x"}}
			s, err := pool.Server(c, filepath.Join(dir, strconv.Itoa(i)))
			require.NoError(t, err)
			_, err = s.Definition(t.Context(), filepath.Join(s.Root(), "a.x"), first)
			require.NoError(t, err)
			time.Sleep(time.Second)
			return s
		}
		var servers []*languageserver.Server
		for i := range roots {
			servers = append(servers, ask(i))
		}
		synctest.Wait()
		for i, s := range servers {
			require.Equal(t, i >= roots-8, s.Running(), "server %d", i)
		}
		require.True(t, ask(0).Running())
		synctest.Wait()
		require.False(t, servers[2].Running(), "it was idle for the longest time")
		require.NoError(t, pool.Close(t.Context()))
	})
}
