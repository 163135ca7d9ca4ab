package shell

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// TestMovers: which commands may change where names lead.
func TestMovers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		paths, anything bool // of the last command
		lines           []string
	}{
		{paths: true, lines: []string{"mv a b", "cp -r a b", "cp -a a b", "cp -P a b", "ln -s a b", "timeout 5 mv a b"}},
		{lines: []string{"mkdir a", "touch a", "cp a b", "rm -r a", "sed -i s/a/b/ x", "tee a", "chmod +x a", "cat a", "npm run dev", "./server", "python3 x.py", "git status", "git push", "git fetch"}},
		{anything: true, lines: []string{"git checkout other", "git -C sub pull", "git stash pop", "unzip -o a.zip", "rsync -a a b", "nice rsync -a a b", "sleep 1; git switch x", "env git reset --hard"}},
	} {
		for _, line := range tc.lines {
			parsed := shellparse.Parse(line, shellparse.Env{Dir: "/proj", Home: "/home"})
			c := parsed.Commands[len(parsed.Commands)-1]
			moves := false
			for k := range c.Paths {
				moves = moves || !c.Paths[k].Guess && movesNames(&c, &c.Paths[k])
			}
			require.True(t, tc.anything || tc.paths == moves, line)
			require.Equal(t, tc.anything, movesAnything(&c), line)
		}
	}
	require.Equal(t, "the background task t1 (a b)", holdText("t1", "a\n  b"))
}
