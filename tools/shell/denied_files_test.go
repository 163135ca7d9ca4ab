package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
func decisionIn(t *testing.T, dir string, mode pegboard.Mode, deny, line string) pegboard.Decision {
	t.Helper()
	s := session(t, dir)
	p, err := pegboard.NewPermissions(mode, pegboard.RuleSet{Deny: []string{deny}})
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
	for line, want := range map[string][3]pegboard.Behavior{
		// Lines that read what is there.
		"grep -rn x .": {pegboard.Allow, pegboard.Deny, pegboard.Deny}, "rg x": {pegboard.Allow, pegboard.Deny, pegboard.Deny}, "rg --hidden x src": {pegboard.Allow, pegboard.Deny, pegboard.Deny},
		"grep -rn x src/.": {pegboard.Allow, pegboard.Deny, pegboard.Deny}, "(cd src && grep -r x)": {pegboard.Allow, pegboard.Deny, pegboard.Deny}, "ls && grep -r x . | head": {pegboard.Allow, pegboard.Deny, pegboard.Deny},
		// Lines that leave it out.
		"grep -rn --exclude=.env x .": {}, "grep -rn --include='*.go' x .": {}, "rg -g '!.env' x": {}, "rg -g '*.go' x": {}, "rg --glob '!.env*' --hidden x": {}, "grep -r --exclude='.e*' x src": {},
		// Lines that do not, or may not.
		"grep -rn --exclude=.en x .": {pegboard.Allow, pegboard.Deny, pegboard.Deny}, "grep -r --exclude=.env --include='.e*' x .": {pegboard.Allow, pegboard.Deny, pegboard.Deny}, "rg -g '!.env' -g '.e*' x": {pegboard.Allow, pegboard.Deny, pegboard.Deny},
		"grep -r --exclude='.[e]nv' x .": {pegboard.Allow, pegboard.Deny, pegboard.Deny}, "grep -r --exclude-dir=.env x .": {pegboard.Allow, pegboard.Deny, pegboard.Deny}, "rg -g '!.env' --iglob '.e*' x": {pegboard.Allow, pegboard.Deny, pegboard.Deny},
		"rg -g '!src/.env' x": {pegboard.Allow, pegboard.Deny, pegboard.Deny}, "rg -g '!.env' -g 'src/*' x": {pegboard.Allow, pegboard.Deny, pegboard.Deny},
		// Lines that name files only.
		"find .": {}, "find . -name '*.go' -newer a.go": {}, "ls -R": {}, "du -sh .": {}, "du -a src": {}, "git status": {}, "git ls-files": {}, "rg --files": {}, "git diff --stat main": {}, "git show --name-only HEAD": {}, "tree": {}, "fd x": {},
		// What git shows is what it tracks, and a commit is no directory.
		"git show HEAD": {2: pegboard.Deny}, "git diff main...HEAD": {2: pegboard.Deny}, "git diff HEAD~1 -- src": {2: pegboard.Deny}, "git diff": {2: pegboard.Deny}, "git grep x": {2: pegboard.Deny}, "git log -p -1": {2: pegboard.Deny}, "git show": {2: pegboard.Deny},
		"git grep --untracked x": {pegboard.Allow, pegboard.Deny, pegboard.Deny}, "git diff main -- a.go": {2: pegboard.Deny}, "git log -p -- a.go": {}, "git show --stat -p HEAD": {2: pegboard.Deny}, "git diff feature/x": {2: pegboard.Deny},
		"git show HEAD -- ':(exclude,glob)**/.env'": {}, "git log -p -- ':(exclude,glob)**/.env'": {}, "git diff HEAD -- ':!.env'": {2: pegboard.Deny}, "git grep x -- ':(exclude,glob)**/.env'": {},
		// What is named is refused, there or not.
		"cat .env": {pegboard.Deny, pegboard.Deny, pegboard.Deny}, "git show HEAD:src/.env": {pegboard.Deny, pegboard.Deny, pegboard.Deny}, "grep -r x src/.env": {pegboard.Deny, pegboard.Deny, pegboard.Deny}, "find . .env": {pegboard.Deny, pegboard.Deny, pegboard.Deny},
		"git log -p -- src/.env": {pegboard.Deny, pegboard.Deny, pegboard.Deny}, "git show HEAD:.env -- ':(exclude,glob)**/.env'": {pegboard.Deny, pegboard.Deny, pegboard.Deny}, "ls -R .env": {pegboard.Deny, pegboard.Deny, pegboard.Deny},
		// What also writes could make the file first.
		"mv a.go b && grep -r x .": {pegboard.Ask, pegboard.Deny, pegboard.Deny}, "make && grep -r x .": {pegboard.Ask, pegboard.Deny, pegboard.Deny},
	} {
		for i, there := range []string{nothing, untracked, tracked} {
			if want[i] == pegboard.Undecided {
				want[i] = pegboard.Allow
			}
			d := decisionIn(t, dirs[there], pegboard.ModeDefault, "Read(.env)", line)
			require.Equal(t, want[i], d.Behavior, "%s: %s: %s", there, line, d.Reason)
			if want[i] != pegboard.Allow {
				require.NotEqual(t, pegboard.Allow, decisionIn(t, dirs[there], pegboard.ModeBypass, "Read(.env)", line).Behavior, "%s: %s in bypass mode", there, line)
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
	for line, want := range map[string]struct{ read, edit, present pegboard.Behavior }{ // under Read(.env), under Edit(.env), and under Read(.env) where the file is there
		"rm -rf src":                  {read: pegboard.Allow, edit: pegboard.Allow, present: pegboard.Deny},
		"rm -rf src/*":                {read: pegboard.Allow, edit: pegboard.Allow, present: pegboard.Allow}, // * matches no hidden file
		"chmod -R u+w src":            {read: pegboard.Allow, edit: pegboard.Allow, present: pegboard.Deny},
		"mv src lib":                  {read: pegboard.Allow, edit: pegboard.Allow, present: pegboard.Deny},
		"mv src/a.go .":               {read: pegboard.Allow, edit: pegboard.Allow, present: pegboard.Allow},
		"cp -r src lib":               {read: pegboard.Allow, edit: pegboard.Allow, present: pegboard.Deny},
		"mkdir -p d && cp -r src d":   {read: pegboard.Allow, edit: pegboard.Allow, present: pegboard.Deny},
		"mkdir d && rm -rf src":       {read: pegboard.Allow, edit: pegboard.Allow, present: pegboard.Deny},
		"mv src/a.go .env":            {read: pegboard.Deny, edit: pegboard.Deny, present: pegboard.Deny},
		"mv missing src":              {read: pegboard.Deny, edit: pegboard.Deny, present: pegboard.Deny},
		"cp -r s* lib":                {read: pegboard.Allow, edit: pegboard.Deny, present: pegboard.Deny},
		"make d && mv d lib":          {read: pegboard.Deny, edit: pegboard.Deny, present: pegboard.Deny},
		"make && cp -r src lib":       {read: pegboard.Ask, edit: pegboard.Ask, present: pegboard.Deny},
		"git stash":                   {read: pegboard.Allow, edit: pegboard.Deny, present: pegboard.Deny},
		"tar xf a.tar -C src":         {read: pegboard.Allow, edit: pegboard.Deny, present: pegboard.Deny},
		"tar cf src.tar src":          {read: pegboard.Allow, edit: pegboard.Allow, present: pegboard.Deny},
		"make && tar cf src.tar src":  {read: pegboard.Ask, edit: pegboard.Allow, present: pegboard.Deny},
		"echo x >d && grep -rn x src": {read: pegboard.Allow, edit: pegboard.Allow, present: pegboard.Deny},
	} {
		check := func(dir, rule string, want pegboard.Behavior) {
			d := decisionIn(t, dir, pegboard.ModeBypass, rule, line)
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
		d := decisionIn(t, dir, pegboard.ModeDefault, "Read(.env)", line)
		require.Equal(t, pegboard.Deny, d.Behavior, "%s: %s", line, d.Reason)
	}
}

// TestDenialOfACommit: the name of a commit was told as a directory.
func TestDenialOfACommit(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := projectWith(t, []string{".env"}, nil)
	d := decisionIn(t, dir, pegboard.ModeDefault, "Read(.env)", "git show feature/x")
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
		d := decisionIn(t, dir, pegboard.ModeDefault, tc.deny, tc.line)
		require.Equal(t, pegboard.Deny, d.Behavior, tc.line)
		m := offered.FindStringSubmatch(d.Reason)
		require.NotNil(t, m, "%s: %s", tc.line, d.Reason)
		again := decisionIn(t, dir, pegboard.ModeDefault, tc.deny, tc.line+" "+m[1])
		require.Equal(t, pegboard.Allow, again.Behavior, "%s %s: %s", tc.line, m[1], again.Reason)
	}
}
