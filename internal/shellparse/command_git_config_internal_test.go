package shellparse

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/script"
)

// No wildcard covers what a flag of git makes it write or run, nor a word that may
// be such a flag.
func TestGitRisks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line  string
		exact bool
		write string
	}{
		{line: "diff --output=a", exact: true, write: "a"},
		{line: "diff --output a", exact: true, write: "a"},
		{line: "-C sub diff --outp=a", exact: true, write: "sub/a sub"},
		{line: "grep -Ox y", exact: true},
		{line: "grep -nOx y", exact: true},
		{line: "grep -eOx --textconv", exact: true},
		{line: "grep -eOx --untracked --unknown"},
		{line: "log --text -unknown"},
		{line: "whatchanged --output=a", exact: true, write: "a"},
		{line: "stash show --output=a", exact: true, write: "a"},
		{line: "reflog list --output=a", exact: true, write: "a"},
		{line: `grep -n "$x"`, exact: true},
		{line: `grep -n "-O$x"`, exact: true},
		{line: `grep -e "$x" src`},
		{line: `grep -f -e "$x" src`, exact: true},
		{line: `grep -e $x`, exact: true},
		{line: `log -1 "--out$x"`, exact: true},
		{line: `log "--since=$x"`},
		{line: `log "--sin"ce="$x"`, exact: true},
		{line: `log --since="$x"`},
		{line: `log --output="$x"`, exact: true},
		{line: `log --since=$x`, exact: true},
		{line: `log HEAD~"$x"`},
		{line: `log HEAD~$x`, exact: true},
		{line: "log --gr*=x", exact: true},
		{line: "log --grep=*x"},
		{line: "diff HEAD $x", exact: true},
		{line: "diff HEAD -- $x"},
		{line: "diff --stat -- $x"},
		{line: "diff -pU5 -- $x"},
		{line: "diff -U -- $x", exact: true},
		{line: "diff --src-prefix -- $x", exact: true},
		{line: "diff --unknown -- $x", exact: true},
		{line: "stash list -- $x", exact: true},
		{line: "diff HEAD *", exact: true},
		{line: "diff HEAD --out*", exact: true},
		{line: "diff -- *"},
		{line: "diff -- src/*.go --x"},
		{line: "status $x"},
		{line: "branch -a $x"},
		{line: "commit -m $x"},
		{line: "stash push -m $x"},
		{line: "archive -o a HEAD", exact: true, write: "a"},
		{line: "archive --out=a HEAD", exact: true, write: "a"},
		{line: "format-patch -oa HEAD", exact: true, write: "a"},
		{line: "fetch --upload-pack=x .", exact: true},
		{line: "fetch origin main"},
		{line: "push -u origin main"},
		{line: "push . --receive-pack x", exact: true},
		{line: "push . $x", exact: true},
		{line: "clone -c a=b x", exact: true},
		{line: "clone x y", write: "y"},
		{line: "rebase -ix x HEAD", exact: true},
		{line: "rebase -i HEAD~2"},
		{line: "bisect run x", exact: true},
		{line: "bisect good $x"},
		{line: "submodule foreach x", exact: true},
		{line: "submodule update --init"},
	} {
		e := gitEffect(argsOf(tt.line))
		require.Equal(t, tt.exact, e.noWildcards, tt.line)
		require.Equal(t, tt.write, strings.Join(definite(e.files), " "), tt.line)
	}
}

// definite are the names of the files that are written for sure.
func definite(files []file) []string {
	var names []string
	for _, f := range files {
		if f.write && !f.guess {
			names = append(names, f.value)
		}
	}
	return names
}

// TestGitRisksAreAll holds the table against git itself: no other form takes a file
// to write.
func TestGitRisksAreAll(t *testing.T) {
	t.Parallel()
	for _, name := range effort.Sample(t, slices.Sorted(maps.Keys(gitForms))) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGitTree(t)
			var made []string
			for _, line := range []string{"--output=mark", "--output=mark HEAD", "--output=mark HEAD~1 HEAD", "--output=mark -- README.md"} {
				_, _ = g.git(t, append(strings.Fields(name), strings.Fields(line)...)...)
				list, err := os.ReadDir(g.dir)
				require.NoError(t, err)
				for _, e := range list {
					if !slices.Contains([]string{".git", "README.md", "src"}, e.Name()) {
						made = append(made, e.Name())
						require.NoError(t, os.Remove(filepath.Join(g.dir, e.Name())))
					}
				}
			}
			if !strings.Contains(gitRiskyWords[name], "--output") {
				require.Empty(t, made)
			}
		})
	}
}

// listedGitKeys are the keys that git itself lists, with names for what is variable.
func listedGitKeys(t *testing.T) []string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git, which is the judge here, is not installed")
	}
	out, err := exec.CommandContext(t.Context(), "git", "help", "--config").Output()
	require.NoError(t, err)
	var keys []string
	for line := range strings.Lines(string(out)) {
		key := strings.NewReplacer("<name>", "origin", "<driver>", "z", "<url>", "https://h.example", "*", "x").Replace(strings.TrimSpace(line))
		if strings.Contains(key, ".") && !strings.ContainsAny(key, " <'") {
			keys = append(keys, key)
		}
	}
	require.Greater(t, len(keys), 400)
	return keys
}

// TestHarmlessGitSettings sets each key that is said to be harmless to a program, one by
// one, and runs commands of all kinds: none of them starts it.
func TestHarmlessGitSettings(t *testing.T) {
	t.Parallel()
	var harmless []string
	for _, key := range listedGitKeys(t) {
		if gitKeyKindOf(key) == gitKeyHarmless {
			harmless = append(harmless, key)
		}
	}
	require.Greater(t, len(harmless), 250)
	g := newGitTree(t)
	require.NoError(t, os.WriteFile(filepath.Join(g.dir, ".gitattributes"), []byte("* diff=z merge=z filter=z\n"), 0o600))
	evil, mark := plantProgram(t, g)
	lines := strings.Split(`status
log -p -1
diff HEAD~1
commit --allow-empty -qm x
commit --allow-empty --amend
fetch .
push . HEAD:refs/heads/pushed
merge -q --no-edit other
rebase -q HEAD~1
stash
stash pop
blame README.md
checkout -q -B made
ls-remote ext::x
grep hello
tag -a -m x -f made
gc -q --auto
archive HEAD
help -a`, "\n")
	const each = 4 // runs every fourth line for a key, beginning with another one for the next
	for i, key := range effort.Sample(t, harmless) {
		for k := i % each; k < len(lines); k += each {
			_, _ = g.git(t, append([]string{"-c", key + "=" + evil}, strings.Fields(lines[k])...)...)
		}
		require.NoFileExists(t, mark, key)
	}
}

// plantProgram makes a program that leaves a mark.
func plantProgram(t *testing.T, g gitTree) (program, mark string) {
	t.Helper()
	program, mark = filepath.Join(g.root, "evil"), filepath.Join(g.root, "mark")
	script.Write(t, program, "#!/bin/sh\n: > "+mark+"\nexit 1\n")
	return program, mark
}

// TestGitRunsCommands shows with git itself that it runs what the tables call a command:
// in settings, variables and options.
func TestGitRunsCommands(t *testing.T) {
	t.Parallel()
	g := newGitTree(t)
	evil, mark := plantProgram(t, g)
	require.NoError(t, os.WriteFile(filepath.Join(g.dir, ".gitattributes"), []byte("* diff=z merge=z filter=z\n"), 0o600))
	for _, line := range strings.Split(`-c core.editor=EVIL commit --allow-empty
-c core.fsmonitor=EVIL status
-c core.sshCommand=EVIL ls-remote ssh://h.example/x
-c core.gitProxy=EVIL ls-remote git://h.example/x
-c core.askPass=EVIL -c credential.helper= credential fill
-c credential.helper=!EVIL credential fill
-c credential.helper=EVIL credential fill
-c diff.external=EVIL diff HEAD~1
-c diff.z.command=EVIL diff HEAD~1
-c diff.z.textconv=EVIL diff HEAD~1
-c difftool.z.cmd=EVIL -c diff.tool=z difftool -y HEAD~1
-c filter.z.clean=EVIL add README.md
-c filter.z.process=EVIL add README.md
-c filter.z.smudge=EVIL checkout -f HEAD~1 -- README.md
-c sequence.editor=EVIL rebase -i --autostash HEAD~1
-c gpg.program=EVIL commit --allow-empty -S -m x
-c trailer.x.command=EVIL -c trailer.x.key=x interpret-trailers README.md
-c alias.p=!EVIL p
-c tar.z.command=EVIL archive --format=z HEAD
-c remote.r.uploadpack=EVIL -c remote.r.url=. fetch r
-c remote.r.receivepack=EVIL -c remote.r.url=. push r HEAD:x
-c alias.p=-c~alias.q=!EVIL~q p
-c protocol.ext.allow=always ls-remote ext::EVIL
-c protocol.ext.allow=always clone ext::EVIL~x ../clone2
fetch --upload-pack=EVIL .
fetch --upload-pa EVIL .
pull --upload-pack EVIL . main
push --receive-pack=EVIL . HEAD:x
push --exec EVIL . HEAD:x
ls-remote --exec=EVIL .
clone -u EVIL . ../clone3
archive --remote=. --exec=EVIL HEAD
grep -OEVIL hello
grep --open=EVIL hello
difftool -y -x EVIL HEAD~1
rebase --autostash -x EVIL HEAD~1
bisect run EVIL
merge-index -o EVIL -a
GIT_EDITOR commit --allow-empty
GIT_SSH_COMMAND ls-remote ssh://h.example/x
GIT_SSH ls-remote ssh://h.example/x
GIT_EXTERNAL_DIFF diff HEAD~1
GIT_ASKPASS -c credential.helper= credential fill
GIT_PROXY_COMMAND ls-remote git://h.example/x
GIT_SEQUENCE_EDITOR rebase -i --autostash HEAD~1
GIT_CONFIG_PARAMETERS p`, "\n") {
		fields := strings.Fields(strings.ReplaceAll(line, "EVIL", evil))
		for i, f := range fields {
			fields[i] = strings.ReplaceAll(f, "~", " ")
			if strings.HasPrefix(f, "HEAD~") {
				fields[i] = f
			}
		}
		_ = os.Remove(mark)
		require.NoError(t, os.WriteFile(filepath.Join(g.dir, "README.md"), []byte("for "+line), 0o600)) // a filter is for what has changed
		var env []string
		text := ""
		if name := fields[0]; strings.HasPrefix(name, "GIT_") {
			value := evil
			if name == "GIT_CONFIG_PARAMETERS" {
				value = "'alias.p=!" + evil + "'"
			}
			env, fields = []string{name + "=" + value}, fields[1:]
			text = name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "' "
		}
		for _, f := range fields {
			text += " " + shellWord(literalArg(f))
		}
		text = strings.Replace(text, " '", " git '", 1)
		if !strings.Contains(line, "merge-index") && !strings.Contains(line, "bisect") { // these need a repository in a certain state
			out := g.with(t, env, fields...)
			require.FileExists(t, mark, "%s: %s", line, out)
		}
		_, _ = g.git(t, "rebase", "--abort")
		l := Parse(text, Env{Dir: g.dir, Home: g.root})
		var texts []string
		for _, c := range l.Commands {
			texts = append(append(texts, c.Text), c.Nested...)
		}
		seen := slices.ContainsFunc(texts, func(s string) bool { return s == evil || strings.HasPrefix(s, evil+" ") })
		require.True(t, seen, "%s: %q", text, texts)
	}
}

// with runs git with further variables and an input.
func (g gitTree) with(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = g.dir
	cmd.Env = append([]string{
		"HOME=" + g.root, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}, env...)
	cmd.Stdin = strings.NewReader("protocol=https\nhost=h.example\n\n")
	out, _ := cmd.CombinedOutput()
	return string(out)
}

func TestGitSettingsInALine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line    string
		nested  string // what deny rules see
		unknown bool   // what runs cannot be seen
		exact   bool   // no rule with a wildcard covers it
	}{
		{line: "git -c color.ui=always log"},
		{line: "git -c user.name=a -c commit.gpgSign=false commit -m x"},
		{line: "git -c core.pager=cat log"},
		{line: "git -c core.editor=true commit --amend"},
		{line: "git -c core.hooksPath=/dev/null commit -m x"},
		{line: "git -c credential.helper= fetch"},
		{line: "git -c core.hooksPath=h commit -m x", unknown: true, exact: true},
		{line: "git -c include.path=x log", unknown: true, exact: true},
		{line: "git -c protocol.ext.allow=always fetch", unknown: true, exact: true},
		{line: "git -c no.such.key=x log", unknown: true, exact: true},
		{line: `git -c "$x" log`, unknown: true, exact: true},
		{line: `git -c core.pager="$x" log`, unknown: true, exact: true},
		{line: "git --config-env=core.pager=X log", unknown: true, exact: true},
		{line: "git --config-env=color.ui=X log"},
		{line: "git --exec-path=x log", unknown: true, exact: true},
		{line: "git --git-dir=x log", unknown: true, exact: true},
		{line: "git --git-dir=.git log"},
		{line: "git -c CORE.PAGER='touch x' log", nested: "touch x", exact: true},
		{line: "git -c pager.log='touch x' log", nested: "touch x", exact: true},
		{line: "git -c credential.https://h.helper=x fetch", nested: "git credential-x", exact: true},
		{line: "git -c submodule.a.update='!touch x' submodule update", nested: "touch x", exact: true},
		{line: "git -c submodule.a.update=rebase submodule update"},
		{line: "git -c alias.p=push p origin main", nested: "git push origin main", exact: true},
		{line: "git -c alias.p='\"push\" -f' p 'a b'", nested: "git push -f a b", exact: true},
		{line: "git -c alias.p='!git push' p origin", nested: "git push origin", exact: true},
		{line: "git -c alias.p.command='push' p", nested: "git push", exact: true},
		{line: "git -c alias.p='!f() { touch x; }; f' p", nested: "touch x", exact: true},
		{line: "git -c alias.p='push \"' p", unknown: true, exact: true},
		{line: "git -c alias.a=b -c alias.b=a a", unknown: true, exact: true},
		{line: "git config alias.p push && git p origin main", nested: "git push origin main", exact: true},
		{line: "git config set alias.p push; git -C src P origin", nested: "git push origin", exact: true},
		{line: "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p origin", nested: "git push origin", exact: true},
		{line: "export GIT_CONFIG_KEY_0=core.pager; git log", unknown: true},
		{line: "export GIT_CONFIG_KEY_0=user.name; git log"},
		{line: "env GIT_CONFIG_PARAMETERS=\"'alias.p'='push'\" git p origin", nested: "git push origin"},
		{line: `env GIT_CONFIG_PARAMETERS="$x" git log`, unknown: true},
		{line: "GIT_CONFIG_GLOBAL=x git log", unknown: true, exact: true},
		{line: "GIT_CONFIG_GLOBAL=/dev/null git log", exact: true},
		{line: "GIT_TRACE=1 git log", exact: true},
		{line: "GIT_TRACE=/tmp/x git log", unknown: true, exact: true},
		{line: "GIT_TEMPLATE_DIR=x git init", unknown: true, exact: true},
		{line: "GIT_NO_SUCH_VARIABLE=x git log", unknown: true, exact: true},
		{line: "GIT_AUTHOR_NAME=x git commit -m x", exact: true},
		{line: "HOME=. git log", unknown: true, exact: true},
		{line: "sudo GIT_SSH_COMMAND='touch x' git fetch", nested: "touch x"},
		{line: "GIT_EDITOR='touch x'; git commit", nested: "touch x"},
		{line: "export EDITOR='touch x'; git commit", nested: "touch x"},
		{line: `GIT_EDITOR="$x" git commit`, unknown: true, exact: true},
		{line: "GIT_EDITOR+=x git commit", unknown: true, exact: true},
		{line: "git remote add x 'ext::sh -c touch% x'", nested: "touch x", exact: true},
		{line: "git clone hg::x", unknown: true, exact: true},
		{line: "git fetch origin 'refs/heads/*:refs/remotes/origin/*'"},
		{line: "git clone --template=x . y", unknown: true, exact: true},
		{line: "git clone --template= . y", exact: true},
		{line: "git init --templ x y", unknown: true, exact: true},
		{line: "git submodule foreach --recursive 'touch x'", nested: "touch x", exact: true},
		{line: "git submodule foreach touch x", nested: "touch x", exact: true},
		{line: "git for-each-repo --config=x push -f", nested: "git push -f", exact: true},
		{line: "git merge-index -o touch x", nested: "touch x", exact: true},
		{line: "git filter-branch --tree 'touch x' HEAD", nested: "touch x", exact: true},
		{line: `git rebase --exec "$x" main`, unknown: true, exact: true},
	} {
		l := Parse(tt.line, Env{Dir: "/proj", Home: "/home/me"})
		require.Equal(t, tt.unknown, l.Unknown != "", "%s: %s", tt.line, l.Unknown)
		var texts []string
		exact := false
		for _, c := range l.Commands {
			texts = append(texts, c.Nested...)
			exact = exact || c.NoWildcards
		}
		require.Equal(t, tt.exact, exact, tt.line)
		if tt.nested != "" {
			require.Contains(t, texts, tt.nested, tt.line)
		}
	}
}

// An alias of the repository or the user is looked up where git starts, and only for
// names that git does not have itself.
func TestGitAliasesAreLookedUp(t *testing.T) {
	t.Parallel()
	var asked []string
	env := Env{Dir: "/proj", Home: "/home/me", GitAliases: func(dir, home, name string) ([]string, error) {
		asked = append(asked, dir+" "+home+" "+name)
		switch name {
		case "p":
			return []string{"push", "!git stash"}, nil
		case "q":
			return []string{"p -f"}, nil
		case "broken":
			return nil, os.ErrPermission
		}
		return nil, nil
	}}
	for _, tt := range []struct {
		line    string
		nested  []string
		asked   []string
		unknown bool
	}{
		{line: "git p origin", nested: []string{"git push origin", "git stash origin"}, asked: []string{"/proj /home/me p"}},
		{line: "git -C a q x", nested: []string{"git p -f x", "git push -f x"}, asked: []string{"/proj/a /home/me q", "/proj /home/me p"}},
		{line: "sudo git p", nested: []string{"git push"}, asked: []string{"/proj /home/me p"}},
		{line: "git broken", asked: []string{"/proj /home/me broken"}, unknown: true},
		{line: "git status && git push"},
		{line: "git svn info", asked: []string{"/proj /home/me svn"}},
	} {
		asked = nil
		l := Parse(tt.line, env)
		require.Equal(t, tt.unknown, l.Unknown != "", "%s: %s", tt.line, l.Unknown)
		slices.Sort(asked)
		slices.Sort(tt.asked)
		require.Equal(t, tt.asked, slices.Compact(asked), tt.line)
		for _, want := range tt.nested {
			require.Contains(t, l.Commands[0].Nested, want, tt.line)
		}
	}
}
