package shellparse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// TestGitPlaces are the repositories, working trees and files that options and variables lead
// git to.
func TestGitPlaces(t *testing.T) {
	t.Parallel()
	read := func(name string) shellparse.Path { return shellparse.Path{Name: name, Tree: true} }
	write := func(name string) shellparse.Path { return shellparse.Path{Name: name, Tree: true, Write: true} }
	guess := func(p shellparse.Path) shellparse.Path { p.Guess = true; return p }
	file := func(p shellparse.Path) shellparse.Path { p.Tree = false; return p }
	for line, want := range map[string]shellparse.Path{
		"git -C /a log":                            read("/a"),
		"git -C a -C b commit -m x":                write("/proj/a/b"),
		"git --work-tree=/a status":                read("/a"),
		"git --work-tree /a checkout -f":           write("/a"),
		"git --git-dir=/a/.git log":                read("/a/.git"),
		"git --git-dir /a/.git commit":             write("/a/.git"),
		"git -C b --git-dir=g commit":              write("/proj/b/g"),
		"git -c core.worktree=/a checkout -f":      write("/a"),
		"git -C b -c Core.WorkTree=../c status":    read("/proj/b/.git/../c"),
		"GIT_DIR=/a/.git git log":                  read("/a/.git"),
		"GIT_DIR=g git -C b commit":                write("/proj/b/g"),
		"GIT_WORK_TREE=/a git reset --hard":        write("/a"),
		"GIT_WORK_TREE=/a timeout 5 git status":    read("/a"),
		"GIT_COMMON_DIR=/a git commit":             write("/a"),
		"GIT_OBJECT_DIRECTORY=/a git add b":        write("/a"),
		"GIT_INDEX_FILE=/a git add b":              file(write("/a")),
		"GIT_TRACE2_EVENT=/a git log":              file(write("/a")),
		"export GIT_DIR=/a; git log":               write("/a"),
		"GIT_DIR=/a; export GIT_DIR; git log":      write("/a"),
		"cd b && GIT_WORK_TREE=../a git commit":    write("/proj/b/../a"),
		"GIT_DIR=/a; git commit":                   guess(write("/a")),
		"env GIT_DIR=/a git commit":                guess(write("/a")),
		"sudo -u me GIT_WORK_TREE=/a git checkout": guess(write("/a")),
		"GIT_DIR=/a make":                          guess(write("/a")),
		"sh -c 'GIT_DIR=/a git commit'":            guess(write("/a")),
		"xargs env GIT_DIR=/a git add":             guess(write("/a")),
	} {
		var paths []shellparse.Path
		for _, c := range parse(line).Commands {
			for _, p := range c.Paths {
				p.MayWrite = false
				paths = append(paths, p)
			}
		}
		require.Contains(t, paths, want, line)
	}
	for _, line := range []string{"GIT_DIR= git log", "GIT_TRACE=1 git log", "GIT_AUTHOR_NAME=/a git commit -m x", "git_dir=/a git log", "PAGER=/a git log"} {
		for _, c := range parse(line).Commands {
			for _, p := range c.Paths {
				require.True(t, p.Guess || p.Name != "/a", line)
				require.False(t, p.Write, line)
			}
		}
	}
}
