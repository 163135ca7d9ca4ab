package shell

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/policy"
)

// addMentioned adds the hosts that a line mentions in the arguments of programs that may do
// anything with them. Only deny and ask rules are about these hosts. They make no line open-world,
// and open no network in a sandbox.
func (l *Line) addMentioned(line *shellparse.Line) {
	add := func(host string) {
		l.Targets = append(l.Targets, policy.Target{Kind: policy.Host, Access: policy.Read, Value: host, Shell: policy.ShellFacts{Guess: true}})
	}
	opened := func(paths []shellparse.Path) {
		for _, p := range paths {
			for _, device := range []string{"/dev/tcp/", "/dev/udp/"} {
				if rest, ok := strings.CutPrefix(p.Name, device); ok {
					host, _, _ := strings.Cut(rest, "/")
					add(host)
				}
			}
		}
	}
	for i := range line.Commands {
		for _, host := range line.Commands[i].Mentioned {
			add(host)
		}
		opened(line.Commands[i].Paths)
	}
	opened(line.Paths)
}

// commandTarget returns the target that stands for a command.
func commandTarget(c *shellparse.Command, repositories *repositoryCheck) policy.Target {
	t := policy.Target{
		Kind: policy.Command, Access: policy.Run, Value: c.Text, AskReason: c.AskReason,
		Shell: policy.ShellFacts{
			Simple: true, ReadOnly: c.Class == shellparse.ReadOnly, EditsOnly: c.EditsOnly,
			Nested: c.Nested, NoWildcards: c.NoWildcards, Exceeds: c.Exceeds, ReadsInput: c.ReadsInput, MovesNames: movesAnything(c),
			RunsUnseen: c.RunsUnseen, ReadsUnseen: c.ReadsUnseen, Starts: c.Starts,
		},
	}
	git, names := c.Git, c.SplitNames
	if c.OnFound && len(names) > 0 {
		t.Shell.VerifyNames = func() error { return checkNames(names) }
	}
	if git != nil || len(names) > 0 {
		t.Shell.VerifyReadOnly = func() error { return errors.Join(repositories.check(git), checkNames(names)) }
	}
	return t
}

// A repositoryCheck determines whether git may start a program where a line uses it. It looks once
// in each directory, when the line is decided.
type repositoryCheck struct {
	mu   sync.Mutex
	errs map[string]error // by directory
}

func (r *repositoryCheck) check(git *shellparse.Git) error {
	if git == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err, known := r.errs[git.Dir]
	if !known {
		if r.errs == nil {
			r.errs = map[string]error{}
		}
		err = gitrepo.Check(git.Dir)
		r.errs[git.Dir] = err
	}
	return err
}

func pathTarget(p shellparse.Path, via string) policy.Target {
	t := policy.Target{Kind: policy.Path, Access: policy.Read, Value: p.Name, Tree: p.Tree, Shell: policy.ShellFacts{Glob: p.Glob, FromCommand: via, Guess: p.Guess, MayWrite: p.MayWrite, CopiesNames: p.CopiesNames, FollowsLinks: p.FollowsLinks, InPlace: p.InPlace, Enters: p.Enters}}
	if p.Write {
		t.Access = policy.Write
		if p.Tree && p.Origin != "" {
			t.Shell.Holds = func(visit func(string) bool) bool { return visitPut(p.Origin, p.Name, visit) }
		}
		return t
	}
	t.Filtered = p.NamesOnly
	if p.Filter != nil {
		t.Shell.Reads, t.Shell.LeaveOut = p.Filter.Reads, p.Filter.LeaveOut
	}
	if p.Tracked {
		t.Shell.Holds = func(visit func(string) bool) bool { return visitTracked(p.Name, p.NoIndex, visit) }
	}
	return t
}

// visitPut calls visit with the names that the files of origin get below dir when origin is copied
// or moved there as dir. It returns false if there may be more.
func visitPut(origin, dir string, visit func(path string) bool) bool {
	root := realpath.Resolve(origin)
	if _, err := os.Lstat(root); err != nil {
		return false
	}
	return visit(dir) && realpath.Walk(root, maxOnDisk, func(path string, _ fs.FileMode) bool {
		below, err := filepath.Rel(root, path)
		return err == nil && visit(filepath.Join(dir, below))
	})
}

// maxOnDisk limits the files and directories that a search on the disk visits.
const maxOnDisk = 100_000

// visitTracked calls visit with the files below a path that git tracks, until visit returns false.
// A path that does not exist is the name of a commit, which may hold any tracked file. Files that
// only earlier commits held are not visited. Without a repository, git shows the files on the disk
// if onDisk is set, and otherwise nothing. It returns false if the files cannot be known.
func visitTracked(name string, onDisk bool, visit func(path string) bool) bool {
	below, dir := realpath.Resolve(name), ""
	if info, err := os.Stat(below); err != nil {
		below = ""
	} else if info.IsDir() {
		dir = below
	}
	if dir == "" {
		dir = filepath.Dir(realpath.Resolve(name))
	}
	for dir != filepath.Dir(dir) { // a commit such as a/b names no directory
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	err := gitrepo.Tracked(dir, func(path string) bool {
		return below != "" && !realpath.Contains(below, path) || visit(path)
	})
	if !errors.Is(err, gitrepo.ErrNoRepository) {
		return err == nil
	}
	return !onDisk || below == "" || realpath.Walk(below, maxOnDisk, func(path string, mode fs.FileMode) bool { return mode.IsDir() || visit(path) })
}
