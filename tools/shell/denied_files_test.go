package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// projectWith returns a repository with a file a.go in it and in src, and the given files.
// Those of tracked are committed.
func projectWith(t *testing.T, tracked, others []string) string {
	t.Helper()
	dir := tempDir(t)
	put := func(names ...string) {
		for _, name := range names {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o600))
		}
	}
	put("a.go", "src/a.go")
	put(tracked...)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A", "-f"}, {"-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	require.NoError(t, os.RemoveAll(filepath.Join(dir, ".git", "hooks")))
	put(others...)
	return dir
}

// decisionIn is the decision on a line under a deny rule.
func decisionIn(t *testing.T, dir string, mode policy.Mode, deny, line string) policy.Decision {
	t.Helper()
	s := session(t, dir)
	p, err := policy.New(mode, policy.RuleSet{Deny: []string{deny}})
	require.NoError(t, err)
	require.NoError(t, s.SetPermissions(p))
	return poolOf(t, s, shell.Bash(shell.Options{})).Decide(t.Context(), pegboard.Call{ID: "1", Name: "Bash", Input: []byte(jsonOf(t, map[string]string{"command": line}))})
}

// TestDenyOfWhatIsNotThere: a deny rule on a file refused every line that reads a tree,
// where no such file was.
func TestDenyOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	needBash(t)
	const nothing, untracked, tracked = "nothing", "untracked", "tracked"
	dirs := map[string]string{nothing: projectWith(t, nil, nil), untracked: projectWith(t, nil, []string{"src/.env"}), tracked: projectWith(t, []string{"src/.env"}, nil)}
	for line, want := range map[string][3]policy.Behavior{
		// Lines that read what is there.
		"grep -rn x .": {policy.Allow, policy.Deny, policy.Deny}, "rg x": {policy.Allow, policy.Deny, policy.Deny}, "rg --hidden x src": {policy.Allow, policy.Deny, policy.Deny},
		"grep -rn x src/.": {policy.Allow, policy.Deny, policy.Deny}, "(cd src && grep -r x)": {policy.Allow, policy.Deny, policy.Deny}, "ls && grep -r x . | head": {policy.Allow, policy.Deny, policy.Deny},
		// Lines that leave it out.
		"grep -rn --exclude=.env x .": {}, "grep -rn --include='*.go' x .": {}, "rg -g '!.env' x": {}, "rg -g '*.go' x": {}, "rg --glob '!.env*' --hidden x": {}, "grep -r --exclude='.e*' x src": {},
		// Lines that do not, or may not.
		"grep -rn --exclude=.en x .": {policy.Allow, policy.Deny, policy.Deny}, "grep -r --exclude=.env --include='.e*' x .": {policy.Allow, policy.Deny, policy.Deny}, "rg -g '!.env' -g '.e*' x": {policy.Allow, policy.Deny, policy.Deny},
		"grep -r --exclude='.[e]nv' x .": {policy.Allow, policy.Deny, policy.Deny}, "grep -r --exclude-dir=.env x .": {policy.Allow, policy.Deny, policy.Deny}, "rg -g '!.env' --iglob '.e*' x": {policy.Allow, policy.Deny, policy.Deny},
		"rg -g '!src/.env' x": {policy.Allow, policy.Deny, policy.Deny}, "rg -g '!.env' -g 'src/*' x": {policy.Allow, policy.Deny, policy.Deny},
		// Lines that name files only.
		"find .": {}, "find . -name '*.go' -newer a.go": {}, "ls -R": {}, "du -sh .": {}, "du -a src": {}, "git status": {}, "git ls-files": {}, "rg --files": {}, "git diff --stat main": {}, "git show --name-only HEAD": {}, "tree": {}, "fd x": {},
		// What git shows is what it tracks, and a commit is no directory.
		"git show HEAD": {2: policy.Deny}, "git diff main...HEAD": {2: policy.Deny}, "git diff HEAD~1 -- src": {2: policy.Deny}, "git diff": {2: policy.Deny}, "git grep x": {2: policy.Deny}, "git log -p -1": {2: policy.Deny}, "git show": {2: policy.Deny},
		"git grep --untracked x": {policy.Allow, policy.Deny, policy.Deny}, "git diff main -- a.go": {2: policy.Deny}, "git log -p -- a.go": {}, "git show --stat -p HEAD": {2: policy.Deny}, "git diff feature/x": {2: policy.Deny},
		"git show HEAD -- ':(exclude,glob)**/.env'": {}, "git log -p -- ':(exclude,glob)**/.env'": {}, "git diff HEAD -- ':!.env'": {2: policy.Deny}, "git grep x -- ':(exclude,glob)**/.env'": {},
		// What is named is refused, there or not.
		"cat .env": {policy.Deny, policy.Deny, policy.Deny}, "git show HEAD:src/.env": {policy.Deny, policy.Deny, policy.Deny}, "grep -r x src/.env": {policy.Deny, policy.Deny, policy.Deny}, "find . .env": {policy.Deny, policy.Deny, policy.Deny},
		"git log -p -- src/.env": {policy.Deny, policy.Deny, policy.Deny}, "git show HEAD:.env -- ':(exclude,glob)**/.env'": {policy.Deny, policy.Deny, policy.Deny}, "ls -R .env": {policy.Deny, policy.Deny, policy.Deny},
		// What also writes could make the file first.
		"mv a.go b && grep -r x .": {policy.Ask, policy.Deny, policy.Deny}, "make && grep -r x .": {policy.Ask, policy.Deny, policy.Deny},
	} {
		for i, there := range []string{nothing, untracked, tracked} {
			if want[i] == policy.Undecided {
				want[i] = policy.Allow
			}
			d := decisionIn(t, dirs[there], policy.ModeDefault, "Read(.env)", line)
			require.Equal(t, want[i], d.Behavior, "%s: %s: %s", there, line, d.Reason)
			if want[i] != policy.Allow {
				require.NotEqual(t, policy.Allow, decisionIn(t, dirs[there], policy.ModeBypass, "Read(.env)", line).Behavior, "%s: %s in bypass mode", there, line)
			}
		}
	}
}

// TestDenyOfFilesBelowWhatIsWritten moves, copies and removes trees in bypass mode, where such
// a rule is all that could refuse them.
func TestDenyOfFilesBelowWhatIsWritten(t *testing.T) {
	t.Parallel()
	needBash(t)
	absent, present := projectWith(t, nil, nil), projectWith(t, nil, []string{"src/.env"})
	for line, want := range map[string]struct{ read, edit, present policy.Behavior }{ // under Read(.env), under Edit(.env), and under Read(.env) where the file is there
		"rm -rf src":                  {read: policy.Allow, edit: policy.Allow, present: policy.Deny},
		"rm -rf src/*":                {read: policy.Allow, edit: policy.Allow, present: policy.Allow}, // * matches no hidden file
		"chmod -R u+w src":            {read: policy.Allow, edit: policy.Allow, present: policy.Deny},
		"mv src lib":                  {read: policy.Allow, edit: policy.Allow, present: policy.Deny},
		"mv src/a.go .":               {read: policy.Allow, edit: policy.Allow, present: policy.Allow},
		"cp -r src lib":               {read: policy.Allow, edit: policy.Allow, present: policy.Deny},
		"mkdir -p d && cp -r src d":   {read: policy.Allow, edit: policy.Allow, present: policy.Deny},
		"mkdir d && rm -rf src":       {read: policy.Allow, edit: policy.Allow, present: policy.Deny},
		"mv src/a.go .env":            {read: policy.Deny, edit: policy.Deny, present: policy.Deny},
		"mv missing src":              {read: policy.Deny, edit: policy.Deny, present: policy.Deny},
		"cp -r s* lib":                {read: policy.Allow, edit: policy.Deny, present: policy.Deny},
		"make d && mv d lib":          {read: policy.Deny, edit: policy.Deny, present: policy.Deny},
		"make && cp -r src lib":       {read: policy.Ask, edit: policy.Ask, present: policy.Deny},
		"git stash":                   {read: policy.Allow, edit: policy.Deny, present: policy.Deny},
		"tar xf a.tar -C src":         {read: policy.Allow, edit: policy.Deny, present: policy.Deny},
		"tar cf src.tar src":          {read: policy.Allow, edit: policy.Allow, present: policy.Deny},
		"make && tar cf src.tar src":  {read: policy.Ask, edit: policy.Allow, present: policy.Deny},
		"echo x >d && grep -rn x src": {read: policy.Allow, edit: policy.Allow, present: policy.Deny},
	} {
		check := func(dir, rule string, want policy.Behavior) {
			d := decisionIn(t, dir, policy.ModeBypass, rule, line)
			require.Equal(t, want, d.Behavior, "%s: %s: %s: %s", dir, rule, line, d.Reason)
		}
		check(absent, "Read(.env)", want.read)
		check(absent, "Edit(.env)", want.edit)
		check(present, "Read(.env)", want.present)
	}
}

// TestDenyOfALinkBelowATree: a link with another name was read through by commands that
// follow it.
func TestDenyOfALinkBelowATree(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := projectWith(t, nil, []string{".env"})
	require.NoError(t, os.Symlink("../.env", filepath.Join(dir, "src", "a.txt")))
	for _, line := range []string{"grep -R --include='*.txt' x src", "grep -R x src", "find src -name '*.txt' -exec cat {} +", "find src -name '*.txt' | xargs cat", "find . -name '*.txt' -exec cat {} +", "diff -r src d"} {
		d := decisionIn(t, dir, policy.ModeDefault, "Read(.env)", line)
		require.Equal(t, policy.Deny, d.Behavior, "%s: %s", line, d.Reason)
	}
}

// TestDenialOfACommit: the name of a commit was told as a directory.
func TestDenialOfACommit(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := projectWith(t, []string{".env"}, nil)
	d := decisionIn(t, dir, policy.ModeDefault, "Read(.env)", "git show feature/x")
	require.Contains(t, d.Reason, "what feature/x stands for in "+dir)
	require.NotContains(t, d.Reason, "and below")
}

// TestRefusalOffersTheFormThatPasses follows the advice of a refusal.
func TestRefusalOffersTheFormThatPasses(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := projectWith(t, []string{"src/.env"}, []string{"src/key.pem"})
	offered := regexp.MustCompile(`is there; to leave it out, add (.+) to the command`)
	for _, tc := range []struct{ line, deny string }{
		{"grep -rn x .", "Read(.env)"}, {"rg x", "Read(.env)"}, {"git show HEAD", "Read(.env)"}, {"git diff main...HEAD", "Read(.env)"}, {"git log -p", "Read(.env)"}, {"git grep x", "Read(.env)"},
		{"grep -rn x .", "Read(*.pem)"}, {"rg x src", "Read(**/*.pem)"}, {"rg x", "Read(src/key.pem)"},
	} {
		d := decisionIn(t, dir, policy.ModeDefault, tc.deny, tc.line)
		require.Equal(t, policy.Deny, d.Behavior, tc.line)
		m := offered.FindStringSubmatch(d.Reason)
		require.NotNil(t, m, "%s: %s", tc.line, d.Reason)
		again := decisionIn(t, dir, policy.ModeDefault, tc.deny, tc.line+" "+m[1])
		require.Equal(t, policy.Allow, again.Behavior, "%s %s: %s", tc.line, m[1], again.Reason)
	}
}
