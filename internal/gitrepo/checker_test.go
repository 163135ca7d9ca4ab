package gitrepo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
)

// plant makes a repository in dir of the sandbox and commits to it.
func (s sandbox) plant(dir string) {
	s.t.Helper()
	s.write(dir+"/file", "x\n")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "file"}, {"commit", "-q", "-m", "x"}} {
		require.NoError(s.t, s.command(filepath.Join(s.root, dir), nil, args...).Run())
	}
}

// TestCheckFindsWhatGitFinds plants the setting in every place from which git
// takes one, and lets git show that it does.
func TestCheckFindsWhatGitFinds(t *testing.T) {
	t.Parallel()
	const monitor = "core.fsmonitor"
	for _, tc := range []struct {
		name  string
		plant func(s sandbox)
		in    string   // where git starts
		run   []string // status by default
	}{
		{name: "a directory below", in: "repo/deep/er", plant: func(s sandbox) {
			s.write("repo/deep/er/x", "")
			s.set(".", monitor, "EVIL")
		}},
		{name: "another repository inside", in: "repo/sub", plant: func(s sandbox) {
			s.plant("repo/sub")
			s.set("sub", monitor, "EVIL")
		}},
		{name: "an empty .git is passed over", in: "repo/sub", plant: func(s sandbox) {
			require.NoError(s.t, os.MkdirAll(filepath.Join(s.repo, "sub/.git"), 0o755))
			s.set(".", monitor, "EVIL")
		}},
		{name: "a .git without HEAD is passed over", in: "repo/sub", plant: func(s sandbox) {
			s.plant("repo/sub")
			require.NoError(s.t, os.Remove(filepath.Join(s.repo, "sub/.git/HEAD")))
			s.set(".", monitor, "EVIL")
		}},
		{name: "a .git whose HEAD is nonsense is passed over", in: "repo/sub", plant: func(s sandbox) {
			s.plant("repo/sub")
			s.write("repo/sub/.git/HEAD", "nonsense\n")
			s.set(".", monitor, "EVIL")
		}},
		{name: "a .git file", in: "work", plant: func(s sandbox) {
			s.plant("far")
			s.write("work/.git", "gitdir: ../far/.git\n")
			s.set("../far", monitor, "EVIL")
		}},
		{name: "a link for .git", in: "work", plant: func(s sandbox) {
			s.plant("far")
			s.write("work/x", "")
			require.NoError(s.t, os.Symlink("../far/.git", filepath.Join(s.root, "work/.git")))
			s.set("../far", monitor, "EVIL")
		}},
		{name: "a link to the directory", in: "link", plant: func(s sandbox) {
			s.set(".", monitor, "EVIL")
			s.write("repo/deep/x", "")
			require.NoError(s.t, os.Symlink("repo/deep", filepath.Join(s.root, "link")))
		}},
		{name: "a linked worktree", in: "linked", plant: func(s sandbox) {
			s.git("worktree", "add", "-q", "../linked", "other")
			s.set(".", monitor, "EVIL")
		}},
		{name: "the settings of a worktree", in: "linked", plant: func(s sandbox) {
			s.git("worktree", "add", "-q", "../linked", "other")
			s.set(".", "extensions.worktreeConfig", "true")
			s.run(nil, "-C", "../linked", "config", "--worktree", monitor, s.evil)
		}},
		{name: "a directory that is a repository", in: "repo/docs", plant: func(s sandbox) {
			s.git("init", "-q", "--bare", "docs")
			s.write("repo/docs/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "+s.evil+"\n")
		}},
		{name: "a bare repository", in: "repo/docs", run: []string{"log", "-p"}, plant: func(s sandbox) {
			s.git("clone", "-q", "--bare", ".", "docs")
			s.write("repo/docs/info/attributes", "*.txt diff=z\n")
			s.set("docs", "diff.z.textconv", "EVIL")
		}},
		{name: "the folder of the repository itself", in: "repo/.git", run: []string{"log", "-p"}, plant: func(s sandbox) {
			s.write("repo/.git/info/attributes", "*.txt diff=z\n")
			s.set(".", "diff.z.textconv", "EVIL")
		}},
		{name: "a submodule", in: "repo", plant: func(s sandbox) {
			s.plant("far")
			s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.root+"/far", "sub")
			s.commit("with a submodule")
			require.NoError(s.t, gitrepo.Check(s.repo))
			require.NoError(s.t, gitrepo.Check(s.repo+"/sub"))
			s.set("sub", monitor, "EVIL")
		}},
		{name: "an entry of the index for a repository", in: "repo", plant: func(s sandbox) {
			s.plant("repo/sub")
			s.git("add", "sub")
			require.NoError(s.t, gitrepo.Check(s.repo))
			s.set("sub", monitor, "EVIL")
		}},
		{name: "a submodule of a submodule", in: "repo", plant: func(s sandbox) {
			s.plant("repo/sub")
			s.plant("repo/sub/sub")
			s.run(nil, "-C", "sub", "add", "sub")
			s.git("add", "sub")
			s.set("sub/sub", monitor, "EVIL")
		}},
		{name: "an entry of an index of version 4", in: "repo", plant: func(s sandbox) {
			for i := range 20 {
				s.write(fmt.Sprintf("repo/a/long/name/%d", i), "x")
			}
			s.plant("repo/sub")
			s.git("add", ".")
			s.git("update-index", "--index-version=4")
			s.set("sub", monitor, "EVIL")
		}},
		{name: "an entry of a split index", in: "repo", plant: func(s sandbox) {
			s.plant("repo/sub")
			s.git("add", ".")
			s.git("update-index", "--split-index")
			s.set("sub", monitor, "EVIL")
		}},
		{name: "an entry of an index with flags", in: "repo", plant: func(s sandbox) {
			s.write("repo/a", "x")
			s.git("add", "--intent-to-add", "a")
			s.plant("repo/sub")
			s.git("add", "sub")
			s.set("sub", monitor, "EVIL")
		}},
		{name: "an entry of an index with long names", in: "work", plant: func(s sandbox) {
			s.write("work/x", "x")
			require.NoError(s.t, s.command(s.root+"/work", nil, "init", "-q", "--object-format=sha256").Run())
			s.plant("work/sub")
			s.run(nil, "-C", "../work/sub", "status")
			require.NoError(s.t, os.RemoveAll(filepath.Join(s.root, "work/sub")))
			s.write("work/sub/file", "x")
			sub := s.root + "/work/sub"
			for _, args := range [][]string{{"init", "-q", "--object-format=sha256"}, {"add", "file"}, {"commit", "-q", "-m", "x"}} {
				require.NoError(s.t, s.command(sub, nil, args...).Run())
			}
			require.NoError(s.t, s.command(s.root+"/work", nil, "add", ".").Run())
			require.NoError(s.t, gitrepo.Check(s.root+"/work"))
			s.set("../work/sub", monitor, "EVIL")
		}},
		{name: "a repository of the past", in: "repo", run: []string{"log", "-p"}, plant: func(s sandbox) {
			s.plant("repo/sub")
			s.git("add", "sub")
			s.git("commit", "-q", "-m", "with it")
			s.write("repo/sub/file", "y\n")
			require.NoError(s.t, s.command(s.repo+"/sub", nil, "commit", "-q", "-am", "y").Run())
			s.git("add", "sub")
			s.git("commit", "-q", "-m", "further on")
			s.git("rm", "-q", "--cached", "sub")
			s.set("sub", "diff.external", "EVIL")
			s.set(".", "diff.submodule", "diff")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			tc.plant(s)
			if tc.run == nil {
				tc.run = []string{"status"}
			}
			s.marked()
			dir := filepath.Join(s.root, tc.in)
			out := s.in(dir, nil, tc.run...)
			require.True(t, s.marked(), "git does not start the program: %s", out)
			err := gitrepo.Check(dir)
			require.Error(t, err)
			t.Log(err)
		})
	}
}

func TestCheckStopsAtTheRepository(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.plant("repo/sub")
	s.set(".", "core.fsmonitor", "EVIL")
	require.NoError(t, gitrepo.Check(filepath.Join(s.repo, "sub")))
	s.in(filepath.Join(s.repo, "sub"), nil, "status")
	require.False(t, s.marked(), "git looks no further up either")
}

func TestCheckRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, file, text string }{
		{name: "a .git file of another kind", file: "repo/sub/.git", text: "nonsense"},
		{name: "an index of another kind", file: "repo/.git/index", text: "nonsense and more of it"},
		{name: "an index cut short", file: "repo/.git/index", text: "DIRC\x00\x00\x00\x02\x00\x00\x00\x09"},
		{name: "an index of the future", file: "repo/.git/index", text: "DIRC\x00\x00\x00\x09\x00\x00\x00\x00"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.write(tc.file, tc.text)
			dir := filepath.Dir(filepath.Join(s.root, tc.file))
			if filepath.Base(dir) == ".git" {
				dir = s.repo
			}
			require.Error(t, gitrepo.Check(dir))
		})
	}
}

func TestCheckIsBounded(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for i := range 60 {
		name := fmt.Sprintf("m/%d", i)
		require.NoError(t, s.command(s.repo, nil, "init", "-q", name).Run())
		s.git("update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111,"+name)
	}
	require.ErrorContains(t, gitrepo.Check(s.repo), "too many")
}
