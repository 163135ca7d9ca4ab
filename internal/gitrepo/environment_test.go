package gitrepo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/script"
)

func TestNeutralKeepsObjectsFromBeingFetched(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for _, kv := range [][2]string{
		{"remote.x.promisor", "true"}, {"remote.x.url", "ext::EVIL quit"}, {"protocol.ext.allow", "always"},
		{"extensions.partialClone", "x"}, {"core.repositoryFormatVersion", "1"},
	} {
		s.set(".", kv[0], kv[1])
	}
	missing := []string{"cat-file", "-p", "1111111111111111111111111111111111111111"}
	for i := range gitrepo.Neutral() {
		// Each of the last two does it alone: old versions know only one.
		if i >= len(gitrepo.Neutral())-2 {
			s.in(s.repo, gitrepo.Neutral()[i:i+1], missing...)
			require.False(t, s.marked(), gitrepo.Neutral()[i])
		}
	}
	s.try(missing...)
	require.True(t, s.marked())
}

func TestNeutralStartsNoPagerOnATerminal(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("script, which makes a terminal, is not installed")
	}
	onTerminal := func(env []string) bool {
		cmd := s.command(s.repo, env)
		cmd.Path, cmd.Args = "/usr/bin/script", []string{"script", "-qec", "git log -1", "/dev/null"}
		_ = cmd.Run()
		return s.marked()
	}
	for _, key := range []string{"core.pager", "pager.log"} {
		s.set(".", key, "EVIL")
		require.Error(t, gitrepo.Check(s.repo), key)
		require.True(t, onTerminal(nil), key)
		require.False(t, onTerminal(gitrepo.Neutral()), key)
		s.git("config", "--unset", key)
	}
}

func TestNeutralReadingChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	script.Write(t, filepath.Join(s.repo, ".git/hooks/post-index-change"), "#!/bin/sh\n: > '"+s.mark+"'\n")
	touch := func() { s.write("repo/.gitattributes", "*.txt diff=z filter=z merge=z\n") }
	touch()
	s.git("status")
	require.True(t, s.marked(), "without Neutral git runs the hook")
	index, err := os.ReadFile(filepath.Join(s.repo, ".git/index"))
	require.NoError(t, err)
	for _, args := range reading() {
		touch()
		s.in(s.repo, gitrepo.Neutral(), args...)
		after, err := os.ReadFile(filepath.Join(s.repo, ".git/index"))
		require.NoError(t, err)
		if args[0] == "describe" || args[0] == "diff" {
			// They refresh the index whatever the environment says, which is
			// why Check looks for the hook.
			index = after
			s.marked()
		}
		require.False(t, s.marked(), "git %q runs the hook", args)
		require.Equal(t, index, after, "git %q writes the index", args)
	}
}
