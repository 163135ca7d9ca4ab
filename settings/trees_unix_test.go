//go:build unix

package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/settings"
)

// TestPipesInTrees: a pipe that stands where a directory or a file of skills, commands or agents is
// looked for is told, and nothing waits for its other end.
func TestPipesInTrees(t *testing.T) {
	t.Parallel()
	places := []string{"skills", "commands", "agents", "skills/s", "skills/s/SKILL.md", "commands/c.md", "commands/c", "agents/a.md", "agents/a"}
	for _, trusted := range []bool{false, true} {
		for _, place := range places {
			t.Run(fmt.Sprint(place, trusted), func(t *testing.T) {
				t.Parallel()
				w := newSkillTree(t)
				w.files.Trusted = trusted
				pipe := filepath.Join(w.repo, ".claude", filepath.FromSlash(place))
				require.NoError(t, os.MkdirAll(filepath.Dir(pipe), 0o700))
				require.NoError(t, syscall.Mkfifo(pipe, 0o600))
				var loaded *settings.Skills
				var agents *settings.Agents
				done := make(chan error, 2)
				go func() {
					var err error
					loaded, err = w.files.LoadSkills(t.Context(), settings.SkillOptions{})
					done <- err
					agents, err = w.files.LoadAgents(t.Context())
					done <- err
				}()
				for range 2 {
					select {
					case err := <-done:
						require.NoError(t, err)
					case <-time.After(time.Minute):
						require.Fail(t, "it waits for the pipe")
					}
				}
				require.False(t, w.files.SkillsChanged(loaded, settings.SkillOptions{}))
				require.False(t, w.files.AgentsChanged(agents))
				told := fmt.Sprint(loaded.Problems, agents.Problems)
				if filepath.Base(place) == "s" || filepath.Base(place) == "c" || filepath.Base(place) == "a" {
					return // a file of that name would not be looked at, either
				}
				require.Contains(t, told, filepath.Base(pipe))
			})
		}
	}
}
