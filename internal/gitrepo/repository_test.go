package gitrepo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
)

// TestCheckRefusesFilesFromElsewhere lets git show what is not in the directory.
func TestCheckRefusesFilesFromElsewhere(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		plant func(s sandbox)
		in    string
		run   string // VICTIM is the id of a commit of far
	}{
		{name: "alternates", in: "repo", run: "cat-file -p VICTIM:file", plant: func(s sandbox) {
			s.write("repo/.git/objects/info/alternates", s.root+"/far/.git/objects\n")
		}},
		{name: "objects of another repository", in: "repo", run: "cat-file -p VICTIM:file", plant: func(s sandbox) {
			require.NoError(s.t, os.RemoveAll(s.repo+"/.git/objects"))
			require.NoError(s.t, os.Symlink(s.root+"/far/.git/objects", s.repo+"/.git/objects"))
		}},
		{name: "a .git file", in: "work", run: "show HEAD:file", plant: func(s sandbox) {
			s.write("work/.git", "gitdir: "+s.root+"/far/.git\n")
		}},
		{name: "a link for .git", in: "work", run: "show HEAD:file", plant: func(s sandbox) {
			s.write("work/x", "")
			require.NoError(s.t, os.Symlink(s.root+"/far/.git", s.root+"/work/.git"))
		}},
		{name: "the worktree of somebody else", in: "work", run: "show HEAD:file", plant: func(s sandbox) {
			s.run(nil, "-C", s.root+"/far", "worktree", "add", "-q", s.root+"/theirs")
			s.write("work/.git", "gitdir: "+s.root+"/far/.git/worktrees/theirs\n")
		}},
		{name: "a link to the .git file of somebody else", in: "work", run: "show HEAD:file", plant: func(s sandbox) {
			s.run(nil, "-C", s.root+"/far", "worktree", "add", "-q", s.root+"/theirs")
			s.write("work/x", "")
			require.NoError(s.t, os.Symlink(s.root+"/theirs/.git", s.root+"/work/.git"))
		}},
		{name: "the submodule of somebody else", in: "work", run: "--work-tree=. show HEAD:file", plant: func(s sandbox) {
			s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.root+"/far", "sub")
			s.write("work/.git", "gitdir: "+s.repo+"/.git/modules/sub\n")
		}},
		{name: "commondir", in: "work", run: "show HEAD:file", plant: func(s sandbox) {
			s.write("work/.git/HEAD", "ref: refs/heads/main\n")
			s.write("work/.git/commondir", s.root+"/far/.git\n")
		}},
		{name: "blame.ignoreRevsFile", in: "repo", run: "blame data.txt", plant: func(s sandbox) {
			s.set(".", "blame.ignoreRevsFile", "ROOT/far/file")
		}},
		{name: "blame.ignoreRevsFile up", in: "repo", run: "blame data.txt", plant: func(s sandbox) {
			s.set(".", "blame.ignoreRevsFile", "../far/file")
		}},
		{name: "blame.ignoreRevsFile through a link", in: "repo", run: "blame data.txt", plant: func(s sandbox) {
			require.NoError(s.t, os.Symlink(s.root+"/far/file", s.repo+"/ignore"))
			s.set(".", "blame.ignoreRevsFile", "ignore")
		}},
		{name: "packed-refs", in: "repo", run: "branch", plant: func(s sandbox) {
			require.NoError(s.t, os.Symlink(s.root+"/far/file", s.repo+"/.git/packed-refs"))
		}},
		{name: "the state of a rebase", in: "repo", run: "status", plant: func(s sandbox) {
			s.write("repo/.git/rebase-merge/interactive", "")
			s.write("repo/.git/rebase-merge/git-rebase-todo", "")
			require.NoError(s.t, os.Symlink(s.root+"/far/file", s.repo+"/.git/rebase-merge/done"))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.plant("far")
			s.write("far/file", "SECRET\n")
			s.run(nil, "-C", s.root+"/far", "commit", "-qam", "secret")
			victim := strings.TrimSpace(s.run(nil, "-C", s.root+"/far", "rev-parse", "HEAD"))
			require.NoError(t, gitrepo.Check(s.repo))
			tc.plant(s)
			dir := filepath.Join(s.root, tc.in)
			out := s.in(dir, gitrepo.Neutral(), strings.Fields(strings.ReplaceAll(tc.run, "VICTIM", victim))...)
			require.Contains(t, out, "SECRET")
			err := gitrepo.Check(dir)
			require.Error(t, err)
			t.Log(err)
		})
	}
}

// TestCheckRefusesFilesItCannotProve are settings of which git shows nothing in
// the commands at hand, or not in every version.
func TestCheckRefusesFilesItCannotProve(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for _, key := range []string{
		"core.excludesFile", "core.attributesFile", "mailmap.file", "commit.template", "diff.orderFile", "format.signatureFile", "fsck.skipList",
	} {
		for _, value := range []string{"/etc/passwd", "~/x", "~you/x", "../x", "a/../../x", "%(prefix)/x", ":(optional)x"} {
			s.set(".", key, value)
			require.ErrorContains(t, gitrepo.Check(s.repo), "outside", "%s = %s", key, value)
			s.git("config", "--unset-all", key)
		}
		for _, value := range []string{"x", "a/../x", "ROOT/repo/x"} {
			s.set(".", key, value)
			require.NoError(t, gitrepo.Check(s.repo), "%s = %s", key, value)
			s.git("config", "--unset-all", key)
		}
	}
	s.write("repo/.git/objects/info/alternates", "")
	require.NoError(t, gitrepo.Check(s.repo))
	s.write("repo/.git/objects/info/http-alternates", "https://example.com/\n")
	require.Error(t, gitrepo.Check(s.repo))
}

// TestCheckAcceptsWhatPointsBack are repositories in other places that git made.
func TestCheckAcceptsWhatPointsBack(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.plant("far")
	s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.root+"/far", "sub")
	s.commit("with a submodule")
	s.git("worktree", "add", "-q", "-b", "third", "../linked")
	s.run(nil, "-C", s.root+"/linked", "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	s.write("inside/.git", "gitdir: .data\n")
	require.NoError(t, os.Rename(s.root+"/far/.git", s.root+"/inside/.data"))
	require.NoError(t, os.Remove(s.repo+"/.git/HEAD"))
	require.NoError(t, os.Symlink("refs/heads/main", s.repo+"/.git/HEAD"))
	for _, dir := range []string{"repo", "repo/sub", "linked", "linked/sub", "inside", "repo/.git/worktrees/linked"} {
		s.run(nil, "-C", filepath.Join(s.root, dir), "log", "-1")
		require.NoError(t, gitrepo.Check(filepath.Join(s.root, dir)), dir)
	}
}

func BenchmarkCheck(b *testing.B) {
	dir := b.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "--allow-empty", "-m", "x"}} {
		cmd := exec.CommandContext(b.Context(), "git", args...)
		cmd.Dir = dir
		require.NoError(b, cmd.Run())
	}
	for b.Loop() {
		require.NoError(b, gitrepo.Check(dir))
	}
}
