package shell

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/policy"
)

// An inspector finds out from a command line which targets it has.
type inspector struct {
	shell      shellparse.Shell
	carriesDir bool // commands start in the startDir of their session, not in its directory
	parser     *shellparse.Parser
	isPublic   func(name string) bool               // nil if the host names no public variables
	isExported func(*pegboard.Session, string) bool // nil if any variable may be in the environment
	searchPath func(*pegboard.Call) *searchPath     // nil if nobody looks for the programs of a line
}

func newInspector(o Options) inspector {
	i := inspector{shell: shellparse.Bash}
	if len(o.Shell) > 0 {
		switch strings.TrimSuffix(filepath.Base(o.Shell[0]), ".exe") {
		case "zsh":
			i.shell = shellparse.Zsh
		case "pwsh", "powershell":
			i.shell = shellparse.PowerShell
		}
	}
	if len(o.Public) > 0 {
		i.isPublic = func(name string) bool { return matchesLast(o.Public, name) }
	}
	return i
}

// inspect returns the traits of a call, and its line.
func (i inspector) inspect(in commandInput, c *pegboard.Call) (pegboard.Traits, shellparse.Line) {
	env := shellparse.Env{Shell: i.shell, IsPublic: i.isPublic}
	if s := c.Session(); s != nil {
		env = i.env(s, c.Dir())
	}
	if c.Session() != nil && i.carriesDir {
		env.Dir = startDirOf(c.Session()).current(c)
	}
	line := i.parser.Parse(in.Command, env)
	tr := pegboard.Traits{ReadOnly: line.Unknown == "", Targets: make([]policy.Target, 0, targetCount(&line))}
	programs, repositories := i.programCheck(c, env.Dir, &line), &repositoryCheck{}
	for i := range line.Commands {
		cmd := &line.Commands[i]
		tr.ReadOnly = tr.ReadOnly && cmd.Class == shellparse.ReadOnly
		t := commandTarget(cmd, repositories)
		if programs != nil && (cmd.Class != shellparse.Unknown || shellparse.KnowsProgram(programOf(cmd.Text))) {
			t.Shell.VerifyProgram, t.Shell.BringsProgram = programs.of(i, cmd), isBrought(cmd)
		}
		tr.Targets = append(tr.Targets, t)
		for k := range cmd.Paths {
			t := pathTarget(cmd.Paths[k], cmd.Text)
			t.Shell.MovesNames = movesNames(cmd, &cmd.Paths[k])
			tr.Targets = append(tr.Targets, t)
		}
		for _, h := range cmd.Hosts {
			tr.OpenWorld = true
			tr.Targets = append(tr.Targets, policy.Target{Kind: policy.Host, Access: policy.Run, Value: h, Shell: policy.ShellFacts{Guess: true}})
		}
	}
	addMentioned(&tr, &line)
	for _, p := range line.Paths {
		tr.ReadOnly = tr.ReadOnly && !p.Write
		tr.Targets = append(tr.Targets, pathTarget(p, ""))
	}
	if line.Unknown != "" || len(tr.Targets) == 0 {
		tr.Targets = append(tr.Targets, policy.Target{Kind: policy.Opaque, Value: line.Unknown})
	}
	if tr.Kind = pegboard.KindRun; tr.ReadOnly {
		tr.Kind = kindOf(&line)
	}
	if tr.ReadOnly && !mayChangeDir(in.Command, &line) {
		tr.Concurrency = pegboard.Shared
	}
	if c.Session() != nil && env.Dir != c.Dir() {
		tr.Targets = append(tr.Targets, startDirTarget(env.Dir))
	}
	return tr, line
}

// addMentioned adds the hosts that a line mentions, in the arguments of programs that may do
// anything with them. Only deny and ask rules are about them: they make no line open-world,
// and open no network in a sandbox.
func addMentioned(tr *pegboard.Traits, line *shellparse.Line) {
	add := func(host string) {
		tr.Targets = append(tr.Targets, policy.Target{Kind: policy.Host, Access: policy.Read, Value: host, Shell: policy.ShellFacts{Guess: true}})
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

// dir returns the directory that c was inspected for. The command must run in it.
func (i inspector) dir(c *pegboard.Call) string {
	if i.carriesDir {
		return inspectedDir(c)
	}
	return c.Dir()
}

// parse parses the line of a call in the way in which it was inspected.
func (i inspector) parse(in commandInput, c *pegboard.Call) shellparse.Line {
	return i.parser.Parse(in.Command, i.env(c.Session(), i.dir(c)))
}

// env returns the environment in which a line is read that starts in dir.
func (i inspector) env(s *pegboard.Session, dir string) shellparse.Env {
	env := shellparse.Env{Shell: i.shell, Dir: dir, Home: s.Home(), IsPublic: i.isPublic, GitAliases: gitrepo.Aliases}
	if i.isExported != nil {
		exported := map[string]bool{}
		env.IsExported = func(name string) bool { // a line may ask thousands of times
			is, known := exported[name]
			if !known {
				is = i.isExported(s, name)
				exported[name] = is
			}
			return is
		}
	}
	return env
}

// targetCount returns the number of targets of a line, without its start directory.
func targetCount(line *shellparse.Line) int {
	n := len(line.Commands) + len(line.Paths)
	for i := range line.Commands {
		n += len(line.Commands[i].Paths) + len(line.Commands[i].Hosts)
	}
	if line.Unknown != "" || n == 0 {
		n++
	}
	return n
}

// programCheck returns the check of the programs of a line that starts in dir, or nil.
func (i inspector) programCheck(c *pegboard.Call, dir string, line *shellparse.Line) *programCheck {
	if i.searchPath == nil || c.Session() == nil {
		return nil
	}
	return &programCheck{from: dir, mixed: !isKnown(line), find: i.searchPath, call: c, commands: make([]commandCheck, len(line.Commands))}
}

// commandTarget returns the target that stands for a command.
func commandTarget(c *shellparse.Command, repositories *repositoryCheck) policy.Target {
	t := policy.Target{
		Kind: policy.Command, Access: policy.Run, Value: c.Text, AskReason: c.AskReason,
		Shell: policy.ShellFacts{
			Simple: true, ReadOnly: c.Class == shellparse.ReadOnly, EditsOnly: c.EditsOnly,
			Nested: c.Nested, NoWildcards: c.NoWildcards, ReadsInput: c.ReadsInput, MovesNames: movesAnything(c),
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

// A repositoryCheck finds out whether git may start a program where a line uses it. It looks
// once in each directory, when the line is decided.
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

// visitPut calls visit with the names below dir that the files of origin get when origin is
// copied or moved there as dir. It returns false if there may be more.
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

// maxOnDisk is how many files and directories are visited where there is no repository.
const maxOnDisk = 100_000

// visitTracked calls visit with the files below a path that git tracks, until visit
// returns false. A path that does not exist is the name of a commit, which may hold any
// of them. It returns false if they cannot be known. What the repository held earlier is
// not among them. Where there is no repository, git shows the files on the disk if onDisk is
// set, and otherwise nothing.
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
