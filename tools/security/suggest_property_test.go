package security_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// An act is a call with what it does, which is known because the test wrote the call:
// "read", "write" or "list" and a real path.
type act struct {
	tool  string
	input map[string]string
	does  []string
}

func (a act) String() string { return fmt.Sprint(a.tool, a.input) }

// A world is a tree with a project, a home and a folder outside, and all that can be done
// to its files.
type world struct {
	root  string
	files []string // real paths
	dirs  []string
}

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{root: realTemp(t)}
	for _, name := range []string{
		"proj/src/a.go", "proj/README.md", "proj/.git/config", "proj/.claude/settings.json", "proj/.envrc",
		"home/.ssh/known_hosts", "home/.ssh/id_rsa", "home/.aws/credentials", "home/.bashrc", "home/notes/a.txt", "home/notes/b.txt",
		"out/a.txt", "out/b.txt", "out/lib/x.go", "out/lib/deep/y.go", "out/.env", "out/a.txt.d/x",
	} {
		write(t, filepath.Join(w.root, name), "x\n")
	}
	require.NoError(t, filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() {
			w.dirs = append(w.dirs, path)
		} else {
			w.files = append(w.files, path)
		}
		return err
	}))
	return w
}

// below returns what is done to every file below dir, and that every directory is listed.
func (w world) below(does, dir string) (all []string) {
	for _, d := range w.dirs {
		if strings.HasPrefix(d+"/", dir+"/") {
			all = append(all, "list "+d)
		}
	}
	for _, f := range w.files {
		if strings.HasPrefix(f, dir+"/") {
			all = append(all, does+" "+f)
		}
	}
	return all
}

// isOwn reports whether a deed is about a file of the project that no other program trusts.
func (w world) isOwn(deed string) bool {
	_, path, _ := strings.Cut(deed, " ")
	inside, ok := strings.CutPrefix(path, filepath.Join(w.root, "proj"))
	return ok && (!strings.Contains(inside, "/.") || strings.HasPrefix(deed, "read ") || strings.HasPrefix(deed, "list "))
}

// spelled returns a path as a model may write it in a line.
func (w world) spelled(path string) []string {
	names := []string{path}
	if rel, err := filepath.Rel(filepath.Join(w.root, "proj"), path); err == nil {
		names = append(names, rel)
	}
	if rest, ok := strings.CutPrefix(path, filepath.Join(w.root, "home")+"/"); ok {
		names = append(names, "~/"+rest)
	}
	return names
}

// plain are calls of the file tools and lines of one command, for every path in every
// spelling.
func (w world) plain() (acts []act) {
	bash := func(line string, does ...string) {
		acts = append(acts, act{"Bash", map[string]string{"command": line}, does})
	}
	for _, path := range w.files {
		read, written := "read "+path, "write "+path
		for _, name := range w.spelled(path) {
			if !strings.HasPrefix(name, "~") {
				acts = append(acts, act{"Read", map[string]string{"file_path": name}, []string{read}}, act{"Write", map[string]string{"file_path": name, "content": "y"}, []string{written}})
			}
			for _, line := range []string{"cat", "head -n 3", "grep -n x", "wc -l", "cat README.md", "sort -u", "diff README.md", "stat", "python3 -m json.tool", "node --check"} {
				bash(line+" "+name, read, "read "+filepath.Join(w.root, "proj", "README.md"))
			}
			bash("cat < "+name, read)
			bash("cat "+name+" | head -n 1", read)
			bash("cp "+name+" copy", read, "write "+filepath.Join(w.root, "proj", "copy"))
			bash("cat "+name+" > copy", read, "write "+filepath.Join(w.root, "proj", "copy"))
			bash("echo x > "+name, written)
			bash("touch "+name, written)
			bash("cp README.md "+name, written)
			bash("sed -i s/x/y/ "+name, written, read)
			bash("rm "+name, written)
			bash("cd "+filepath.Dir(name)+" && cat "+filepath.Base(name), read)
		}
	}
	for _, dir := range w.dirs {
		for _, name := range w.spelled(dir) {
			all := w.below("read", dir)
			for _, line := range []string{"grep -rn x", "find", "ls -R", "du -a", "rg x"} {
				bash(line+" "+name, all...)
			}
			bash("ls -l "+name, "list "+dir)
			bash("cat "+name+"/*", all...)
			if !strings.HasPrefix(name, "~") {
				acts = append(acts, act{"Grep", map[string]string{"path": name, "pattern": "x"}, all}, act{"Glob", map[string]string{"path": name, "pattern": "**"}, append(w.below("list", dir), all...)})
			}
		}
	}
	return acts
}

// tools are the tools of the world's calls.
func (w world) tools() []pegboard.Tool {
	unread := files.WriteOptions{AllowUnread: true}
	return []pegboard.Tool{
		files.Read(files.ReadOptions{}), files.Write(unread), files.Grep(files.GrepOptions{}), files.Glob(files.GlobOptions{}), shell.Bash(shell.Options{Env: env(w.root)}),
	}
}

// TestSuggestionsAllowNothingElse: what a suggestion allows beyond the call is a matter of
// the project alone, and no file that other programs trust.
func TestSuggestionsAllowNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := w.plain()
	r := rand.New(rand.NewPCG(4, 19))
	asked, tried := 0, map[string]bool{}
	for range effort.Of(t, 300) {
		a := all[r.IntN(len(all))]
		mode := []policy.Mode{policy.ModeDefault, policy.ModeDefault, policy.ModeAcceptEdits, policy.ModeAsk}[r.IntN(4)]
		to := []policy.Source{policy.SourceSession, policy.SourceLocal, policy.SourceUser, policy.SourceProject}[r.IntN(4)]
		asked++
		for _, updates := range w.suggested(t, mode, to, a) {
			tried[fmt.Sprint(updates)] = true
			w.requireNothingElse(t, r, all, a, updates)
		}
	}
	t.Logf("%d calls of %d, %d suggestions", asked, len(all), len(tried))
	require.NotEmpty(t, tried)
}

// suggested returns what could be remembered of a call.
func (w world) suggested(t *testing.T, mode policy.Mode, to policy.Source, a act) (found [][]policy.Update) {
	t.Helper()
	s := sessionIn(t, tree{root: w.root}, "proj", pegboard.SessionConfig{
		Permissions: permissions(t, mode, policy.RuleSet{}),
		Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			found = q.Suggestions(to)
			return policy.Decision{Behavior: policy.Deny}, nil
		},
	})
	var executor pegboard.Executor
	p := pool(t, s, w.tools()...)
	if p.Decide(t.Context(), call(t, a.tool, a.input)).Behavior == policy.Ask {
		require.Error(t, executor.Run(t.Context(), p, call(t, a.tool, a.input))[0].Err)
	}
	return found
}

// requireNothingElse decides calls before and after the updates, in the modes in which
// people work.
func (w world) requireNothingElse(t *testing.T, r *rand.Rand, all []act, a act, updates []policy.Update) {
	t.Helper()
	granted := map[string]bool{}
	for _, deed := range a.does {
		granted[deed] = true
		if path, ok := strings.CutPrefix(deed, "write "); ok {
			granted["read "+path] = true // a rule that lets a file be written lets it be read
		}
		if path, ok := strings.CutPrefix(deed, "read "); ok {
			granted["list "+path] = true
		}
	}
	probes := slices.Clone(all)
	r.Shuffle(len(probes), func(i, j int) { probes[i], probes[j] = probes[j], probes[i] })
	near := func(p act) bool { // to what was allowed, or what a rule for it could reach
		return slices.ContainsFunc(p.does, func(deed string) bool {
			_, path, _ := strings.Cut(deed, " ")
			return slices.ContainsFunc(a.does, func(d string) bool {
				return strings.HasPrefix(filepath.Dir(path), filepath.Dir(d[strings.Index(d, " ")+1:]))
			})
		})
	}
	slices.SortStableFunc(probes, func(p, q act) int {
		if near(p) == near(q) {
			return 0
		}
		if near(p) {
			return -1
		}
		return 1
	})
	for _, mode := range []policy.Mode{policy.ModeDefault, policy.ModeAcceptEdits} {
		before := permissions(t, mode, policy.RuleSet{})
		after, err := before.Apply(updates...)
		require.NoError(t, err)
		s := sessionIn(t, tree{root: w.root}, "proj", pegboard.SessionConfig{Permissions: before})
		p := pool(t, s, w.tools()...)
		for _, probe := range probes[:60] {
			require.NoError(t, s.SetPermissions(after))
			c := call(t, probe.tool, probe.input)
			if p.Decide(t.Context(), c).Behavior != policy.Allow {
				continue
			}
			require.NoError(t, s.SetPermissions(before))
			if p.Decide(t.Context(), c).Behavior == policy.Allow {
				continue
			}
			for _, deed := range probe.does {
				require.True(t, granted[deed] || w.isOwn(deed), "%v is allowed, which does %q, by what %v made somebody remember: %v (which does %q)", probe, deed, a, updates, slices.Sorted(maps.Keys(granted)))
			}
		}
	}
}
