package shellparse

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGitWritesOutside runs commands of git that write elsewhere. Each file that appears
// there lies below one that the tables say is written.
func TestGitWritesOutside(t *testing.T) {
	t.Parallel()
	for _, line := range strings.Split(`clone -q . ../out/a
clone -q --depth 1 --no-local -b main . ../out/a
clone -q --bare . ../out/a
clone -q --separate-git-dir ../out/g . new
worktree add ../out/w
worktree add -b y ../out/w HEAD
worktree add --detach ../out/w other
worktree add --lock --reason x ../out/w other
init -q ../out/w
init -q -b x ../out/w
init -q --separate-git-dir=../out/g w
bundle create ../out/b HEAD
bundle create -q --version=3 ../out/b HEAD
archive -o ../out/a.tar HEAD
archive --output ../out/a.tar HEAD
format-patch -o ../out/p -1
format-patch --output-directory=../out/p -1
format-patch --output=../out/p -1
diff --output=../out/d HEAD~1
log -p --output ../out/d
config -f ../out/c a.b c
config --file=../out/c --add a.b c
config --fil ../out/c a.b c
config -f../out/c a.b c
config --global user.name x
checkout-index --prefix=../out/x/ -a
checkout-index --pref ../out/x/ -a
fast-export --export-marks=../out/m HEAD
diagnose -o ../out/r
read-tree --index-output=../out/i HEAD
-C ../other commit -q --allow-empty -m x
--git-dir=../out/g init -q
clone -q ../repo
pack-objects ../out/p`, "\n") {
		g := newGitTree(t)
		require.NoError(t, os.MkdirAll(filepath.Join(g.root, "out"), 0o755))
		other := filepath.Join(g.root, "other")
		require.NoError(t, os.MkdirAll(other, 0o755))
		_, _ = g.git(t, "init", "-q", other)
		before := g.paths(t)
		out := g.with(t, nil, strings.Fields(line)...)
		l := Parse("git "+line, Env{Dir: g.dir, Home: g.root})
		wrote := 0
		for name := range g.paths(t) {
			if before[name] || strings.HasPrefix(name, g.dir+"/") {
				continue
			}
			wrote++
			said := false
			for _, p := range l.Commands[0].Paths {
				at := path.Clean(p.Name)
				if p.Write && !p.Guess {
					said = said || at == name || strings.HasPrefix(name, at+"/") || !p.Tree && strings.HasPrefix(name, at)
				}
			}
			require.True(t, said, "git %s wrote %s: %v", line, name, l.Commands[0].Paths)
		}
		if !strings.HasPrefix(line, "pack-objects") && line != "clone -q ../repo" && !strings.HasPrefix(line, "diagnose") {
			require.Positive(t, wrote, "git %s: %s", line, out)
		}
	}
}

// paths are the names of all files and directories of the tree.
func (g gitTree) paths(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	require.NoError(t, filepath.WalkDir(g.root, func(name string, _ fs.DirEntry, err error) error {
		all[name] = true
		return err
	}))
	return all
}

// What git config writes is a write of its file for sure if git then runs something, or if
// the file is not that of the repository.
func TestGitConfigWrites(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line        string
		sure, maybe string // files that are written
	}{
		{line: "config user.name x", maybe: "/proj/.git/config"},
		{line: "config --local --add remote.origin.fetch x", maybe: "/proj/.git/config"},
		{line: "config --unset core.pager", maybe: "/proj/.git/config"},
		{line: "config core.pager cat", maybe: "/proj/.git/config"},
		{line: "config set branch.main.merge x", maybe: "/proj/.git/config"},
		{line: "config core.hooksPath hooks", sure: "/proj/.git/config"},
		{line: "config core.pager less-x", sure: "/proj/.git/config"},
		{line: "config set --append alias.x y", sure: "/proj/.git/config"},
		{line: "config --replace-all diff.external x", sure: "/proj/.git/config"},
		{line: "config remote.x.url ext::x", sure: "/proj/.git/config"},
		{line: "config remote.x.url https://h.example/x", maybe: "/proj/.git/config"},
		{line: "config --edit", sure: "/proj/.git/config"},
		{line: "config --rename-section a core", sure: "/proj/.git/config"},
		{line: "config --worktree core.fsmonitor x", sure: "/proj/.git/config.worktree"},
		{line: "-C a config core.fsmonitor x", sure: "/proj/a/.git/config /proj/a"},
		{line: "config --global user.name x", sure: "/home/me/.gitconfig"},
		{line: "config --glob core.pager x", sure: "/home/me/.gitconfig"},
		{line: "config --system core.pager x", sure: "/etc/gitconfig"},
		{line: "config -f .npmrc a.script-shell x", sure: "/proj/.npmrc"},
		{line: "config --file ../x a.b c", sure: "/proj/../x"},
		{line: "config -f x user.name c", sure: "/proj/x"},
		{line: "config --get user.name"},
		{line: "config --list"},
	} {
		var sure, maybe []string
		for _, p := range Parse("git "+tt.line, Env{Dir: "/proj", Home: "/home/me"}).Commands[0].Paths {
			switch {
			case p.Write && !p.Guess:
				sure = append(sure, p.Name)
			case p.Write:
				maybe = append(maybe, p.Name)
			}
		}
		require.Equal(t, tt.sure, strings.Join(sure, " "), tt.line)
		require.Equal(t, tt.maybe, strings.Join(maybe, " "), tt.line)
	}
}

// What a pathspec names for sure is written for sure; a branch is no file.
func TestGitFilesThatAreRestored(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"git restore --source=other .envrc":          "/proj/.envrc",
		"git restore -s other -- a .envrc":           "/proj/a /proj/.envrc",
		"git checkout other -- .claude/x":            "/proj/.claude/x",
		"git checkout other .claude/x":               "/proj/.claude/x",
		"git checkout .envrc":                        "/proj/.envrc",
		"git checkout lefthook.yml":                  "/proj/lefthook.yml",
		"git checkout main":                          "",
		"git checkout -b main":                       "",
		"git checkout feature/x":                     "",
		"git rm -q --cached a":                       "/proj/a",
		"git mv a .husky/pre-commit":                 "/proj/a /proj/.husky/pre-commit",
		"git submodule add https://h.example/x sub":  "/proj/sub /proj/.gitmodules",
		"git submodule add -b x https://h.example/x": "/proj/.gitmodules",
	} {
		var sure []string
		for _, p := range Parse(line, Env{Dir: "/proj", Home: "/home/me"}).Commands[0].Paths {
			if p.Write && !p.Guess {
				sure = append(sure, p.Name)
			}
		}
		require.Equal(t, want, strings.Join(sure, " "), line)
	}
	require.NotEmpty(t, Parse(`git checkout other -- "$f"`, Env{Dir: "/proj"}).Unknown)
}

// Deny rules on files see what git reads into the repository, and what it shows of it by
// other ways than an operand.
func TestGitReadsOfFiles(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"git add -f .env":                       "/proj/.env",
		"git add -A .env":                       "/proj/.env",
		"git add -f src":                        "/proj/src/",
		"git add --force .":                     "/proj/",
		"git update-index --add .env":           "/proj/.env",
		"git hash-object -w .env":               "/proj/.env",
		"git hash-object -w --stdin-paths":      "/proj/",
		"git commit -m x .env":                  "/proj/.env",
		"git commit -F .env":                    "/proj/.env",
		"git commit --fil=.env":                 "/proj/.env",
		"git commit -F.env":                     "/proj/.env",
		"git tag -F .env v2":                    "/proj/.env",
		"git add --pathspec-from-file=list":     "/proj/",
		"git add --pathspec-from list":          "/proj/",
		"git cat-file --batch":                  "/proj/",
		"git cat-file --batch='%(objectname)'":  "/proj/",
		"git cat-file --batch-command":          "/proj/",
		"git cat-file -p HEAD:.env":             "/proj/.env",
		"git show HEAD:.env":                    "/proj/.env/",
		"git blame .env":                        "/proj/.env",
		"git log -p -- .env":                    "/proj/.env/",
		"git archive HEAD .env":                 "/proj/",
		"git fast-export HEAD":                  "/proj/",
		"git difftool -y -x cat HEAD~1 -- .env": "/proj/",
		"git checkout-index --stdin":            "/proj/",
		"git grep x -- ':(icase).ENV'":          "/proj/",
		"git diff HEAD~1 -- ':(icase).ENV'":     "/proj/",
	} {
		var names []string
		for _, p := range Parse(line, Env{Dir: "/proj", Home: "/home/me"}).Commands[0].Paths {
			if p.Tree {
				p.Name += "/"
			}
			names = append(names, p.Name)
		}
		require.Contains(t, names, want, line)
	}
	for _, line := range []string{"git add .", "git add -A", "git commit -am x", "git cat-file --batch-check", "git push -f origin main"} {
		for _, p := range Parse(line, Env{Dir: "/proj", Home: "/home/me"}).Commands[0].Paths {
			require.False(t, p.Tree, line)
		}
	}
}
