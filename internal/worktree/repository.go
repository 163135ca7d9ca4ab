package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A repository is one in which commands of git run. Its paths are resolved.
type repository struct {
	table  *proc.Table
	dir    string // for which worktrees are made
	top    string // of the working tree that dir is in
	prefix string // of dir in top; "." for top itself
	common string // folder with the branches of all worktrees
	// place are the options that tell git its repository, instead of letting it look; empty
	// before it is known.
	place []string
	gate  *os.File // that a command keeps closed; nil for most
}

const (
	maxOutput = 32 << 20 // bytes that a command of git may print
	// minGit is the version of git that knows every option used here: "worktree add
	// --reason" is the newest, and settings in variables are of 2.31.
	minGitMajor, minGitMinor = 2, 35
)

// open finds the repository that a directory is in.
func (t *Trees) open(ctx context.Context, dir string) (*repository, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("directory %q is not absolute", dir)
	}
	r := &repository{table: &t.table, dir: realpath.Resolve(filepath.Clean(dir))}
	if !isDirectory(r.dir) {
		return nil, fmt.Errorf("%s is no directory", dir)
	}
	if err := r.checkVersion(ctx); err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir", "--git-dir")
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err != nil || len(lines) != 3 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%s: %w (%w)", dir, ErrNoRepository, cmpError(err))
	}
	r.top, r.common = realpath.Resolve(filepath.Clean(lines[0])), realpath.Resolve(filepath.Clean(lines[1]))
	if r.prefix, err = filepath.Rel(r.top, r.dir); err != nil || !filepath.IsLocal(r.prefix) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoRepository)
	}
	r.place = []string{"--git-dir=" + filepath.Clean(lines[2]), "--work-tree=" + r.top}
	return r, nil
}

// at returns the repository for commands in one of its worktrees.
func (r *repository) at(path, folder string) *repository {
	at := *r
	at.dir, at.top, at.place = path, path, []string{"--git-dir=" + folder, "--work-tree=" + path}
	return &at
}

func cmpError(err error) error {
	if err == nil {
		return errors.New("git rev-parse tells no place")
	}
	return err
}

// checkVersion refuses a git that is too old to know the options that keep programs from running.
func (r *repository) checkVersion(ctx context.Context) error {
	out, err := r.run(ctx, nil, nil, "version")
	if err != nil {
		return fmt.Errorf("git cannot be used: %w", err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(out), "git version %d.%d", &major, &minor); err != nil || major < minGitMajor || major == minGitMajor && minor < minGitMinor {
		return fmt.Errorf("%q is too old for worktrees; git %d.%d is needed", strings.TrimSpace(string(out)), minGitMajor, minGitMinor)
	}
	return nil
}

// git runs a command of git, in which the configuration starts no program.
func (r *repository) git(ctx context.Context, args ...string) ([]byte, error) {
	return r.gitWith(ctx, nil, args...)
}

// alone is git for a command about worktrees. Git cannot read the list of worktrees while
// another command adds one. The gate stays closed while a process of the command runs, even if
// this program is killed: git starts other programs, which the system does not kill with it.
func (r *repository) alone(ctx context.Context, args ...string) ([]byte, error) {
	gate, err := r.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = gate.Close() }()
	at := *r
	at.gate = gate
	return at.git(ctx, args...)
}

// gitWith is git for a command that reads input.
func (r *repository) gitWith(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	settings, err := r.neutralSettings(ctx)
	if err != nil {
		return nil, err
	}
	return r.run(ctx, settings, input, slices.Concat(r.place, args)...)
}

// A setting is an entry of git's configuration.
type setting struct{ key, value string }

// neutralSettings returns settings that keep each program of the configuration from running:
// those that are always the same, and those of the filters and hooks that it names.
func (r *repository) neutralSettings(ctx context.Context) ([]setting, error) {
	list := []setting{
		{"core.hooksPath", os.DevNull}, {"core.fsmonitor", ""}, {"core.pager", "cat"}, {"core.askPass", ""}, {"core.editor", "false"},
		{"submodule.recurse", "false"}, {"diff.external", ""}, {"gc.auto", "0"}, {"maintenance.auto", "false"}, {"safe.bareRepository", "explicit"},
		{"advice.detachedHead", "false"}, {"status.showUntrackedFiles", "all"}, {"core.quotePath", "false"},
	}
	out, err := r.run(ctx, list, nil, slices.Concat(r.place, []string{"config", "--list", "--name-only", "-z"})...)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for key := range strings.SplitSeq(string(out), "\x00") {
		section, rest, _ := strings.Cut(key, ".")
		dot := strings.LastIndexByte(rest, '.')
		if dot < 0 || section != "filter" && section != "hook" || seen[section+"."+rest[:dot]] {
			continue
		}
		name := section + "." + rest[:dot]
		seen[name] = true
		if section == "hook" {
			list = append(list, setting{name + ".enabled", "false"})
			continue
		}
		for _, part := range []string{"clean", "smudge", "process"} {
			list = append(list, setting{name + "." + part, ""})
		}
		list = append(list, setting{name + ".required", "false"})
	}
	return list, nil
}

// keptVariables are the variables of git that its commands inherit: they are about where git
// and the user's own settings are installed.
var keptVariables = []string{"GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_TEMPLATE_DIR"}

// environment returns the environment of git with settings that override all others.
func environment(settings []setting) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		upper := strings.ToUpper(name)
		return strings.HasPrefix(upper, "GIT_") && !slices.Contains(keptVariables, upper)
	})
	env = append(env, "LC_ALL=C", "GIT_LFS_SKIP_SMUDGE=1", "GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)))
	for i, s := range settings {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return append(proc.Quiet(env), gitrepo.Neutral()...)
}

// run runs git and returns its output.
func (r *repository) run(ctx context.Context, settings []setting, input []byte, args ...string) ([]byte, error) {
	var out, problems bytes.Buffer
	collect := func(b *bytes.Buffer, limit int) func([]byte) {
		return func(p []byte) { b.Write(p[:min(len(p), max(limit-b.Len(), 0))]) }
	}
	var hold []*os.File
	if r.gate != nil {
		hold = []*os.File{r.gate}
	}
	p, err := r.table.Start(ctx, proc.Command{
		Args: append([]string{"git"}, args...), Dir: r.dir, Env: environment(settings), Stdin: input != nil, Hold: hold, Unlisted: true,
		Keep: 1, MaxOutput: maxOutput, Output: collect(&out, maxOutput), Errors: collect(&problems, 4<<10),
	})
	if err != nil {
		return nil, err
	}
	if input != nil {
		written := goroutine.Go(func() {
			_, _ = p.Stdin().Write(input) // if git ends early, its own error tells why
			_ = p.Stdin().Close()
		})
		defer func() { <-written }()
	}
	exit := p.Exit()
	switch {
	case exit.Err != nil:
		return nil, fmt.Errorf("git %s: %w", commandOf(args), exit.Err)
	case exit.Code != 0:
		return out.Bytes(), &gitError{command: commandOf(args), code: exit.Code, text: strings.TrimSpace(problems.String())}
	}
	return out.Bytes(), nil
}

// commandOf returns the subcommand in the arguments of git, for a message.
func commandOf(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// A gitError is a command of git that failed.
type gitError struct {
	command string
	code    int
	text    string
}

func (e *gitError) Error() string {
	text := e.text
	if at := strings.Index(text, "fatal: "); at >= 0 {
		text = text[at+len("fatal: "):]
	}
	if text == "" {
		text = "exit code " + strconv.Itoa(e.code)
	}
	return "git " + e.command + ": " + strings.ReplaceAll(text, "\n", "; ")
}

// nameOf returns the name of the worktree of a path below the folder of worktrees.
func (r *repository) nameOf(path string) (string, bool) {
	folder, name := filepath.Split(path)
	return name, filepath.Clean(folder) == filepath.Join(r.dir, filepath.FromSlash(Folder)) && CheckName(name) == nil
}

// branch returns the branch that is checked out, or "" if none is.
func (r *repository) branch(ctx context.Context) (string, error) {
	out, err := r.git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if failed := (*gitError)(nil); errors.As(err, &failed) && failed.code == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// checkCase refuses a name that a system which ignores letter case takes for one that is there.
func (r *repository) checkCase(ctx context.Context, folder, name string) error {
	if _, err := os.Lstat(filepath.Join(r.common, "head")); errors.Is(err, fs.ErrNotExist) {
		return nil // it is called HEAD
	}
	taken := func(other string) error {
		if other != name && strings.EqualFold(other, name) {
			return fmt.Errorf("%w: %s, by %s, since letter case does not count here", ErrTaken, name, other)
		}
		return nil
	}
	out, err := r.git(ctx, "for-each-ref", "--format=%(refname)", "refs/heads/")
	if err != nil {
		return err
	}
	for ref := range strings.FieldsSeq(string(out)) {
		if err := taken(strings.TrimPrefix(ref, "refs/heads/"+BranchPrefix)); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := taken(e.Name()); err != nil {
			return err
		}
	}
	return nil
}
