package pattern_test

import (
	"testing"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// TestCommands goes through the sentences on Bash and PowerShell in Claude Code's
// documentation of permission rules.
func TestCommands(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool, text, line string // tool: Bash if empty
		want                   want
	}{
		{name: "word boundary, alone", text: "ls *", line: "ls", want: covers},
		{name: "word boundary, with a word", text: "ls *", line: "ls -la /x", want: covers},
		{name: "word boundary, another word", text: "ls *", line: "lsof"},
		{name: "no boundary, alone", text: "ls*", line: "ls", want: covers},
		{name: "no boundary, with a word", text: "ls*", line: "ls -la", want: covers},
		{name: "no boundary, another word", text: "ls*", line: "lsof", want: covers},
		{name: "colon and star, alone", text: "npm run test:*", line: "npm run test", want: covers},
		{name: "colon and star, with a word", text: "npm run test:*", line: "npm run test -- -v", want: covers},
		{name: "colon and star, another word", text: "npm run test:*", line: "npm run tests"},
		{name: "colon and star, not at the end", text: "git:* push", line: "git push"},
		{name: "colon and star, not at the end, literally", text: "git:* push", line: "git:x push", want: covers},
		{name: "colon, then a star that stands apart", text: "git: *", line: "git: x", want: covers},
		{name: "a port of this machine", text: "curl localhost:*", line: "curl localhost:3000/api?x=1", want: covers},
		{name: "a port and a word", text: "curl localhost:*", line: "curl localhost:3000 -v", want: covers},
		{name: "a port in a URL", text: "curl -s http://localhost:*", line: "curl -s http://localhost:8080/", want: covers},
		{name: "no port", text: "curl localhost:*", line: "curl localhost -v", want: covers},
		{name: "a user instead of this machine", text: "curl localhost:*", line: "curl localhost:80@h.example/"},
		{name: "a user behind a slash", text: "curl localhost:*", line: "curl localhost:80/@h.example"},
		{name: "another name", text: "curl localhost:*", line: "curl localhost:80.h.example"},
		{name: "a port of another machine", text: "curl h.example:*", line: "curl h.example:80"},
		{name: "a blank before the colon", text: "git :*", line: "git log", want: covers},
		{name: "a colon alone", text: "git:log", line: "git log"},
		{name: "quotes around a word", text: "npm run test:*", line: `npm run "test" -- -v`, want: covers},
		{name: "quotes around every word but the first", text: "npm run test", line: `npm 'run' "test"`, want: covers},
		{name: "quotes in the rule", text: `npm run "test" *`, line: "npm run test x", want: covers},
		{name: "quotes in both", text: `npm run "test" *`, line: `npm run 'test' "x y"`, want: covers},
		{name: "quotes and a variable", text: `npm run "test" *`, line: `npm run "test" "$x"`, want: covers},
		{name: "quotes around several words", text: "npm run test *", line: `npm run "test x"`},
		{name: "quotes around a part of a word", text: "npm run test", line: `npm run te"st"`},
		{name: "quotes in quotes", text: "echo ' test '", line: `echo ' "test" '`},
		{name: "quotes around the program", text: "npm run test", line: `"npm" run test`},
		{name: "quotes around an option", text: "rm -r x", line: `rm "-r" x`},
		{name: "an open quote", text: "npm run test x", line: `npm run "test" 'x`},
		{name: "quotes in PowerShell", tool: "PowerShell", text: "npm run test *", line: `NPM run "Test" x`, want: covers},
		{name: "a list in PowerShell", tool: "PowerShell", text: "git add a,b", line: `git add "a,b"`},
		{name: "star in the middle", text: "git * main", line: "git push -f origin main", want: covers},
		{name: "star in the middle is something", text: "git * main", line: "git main"},
		{name: "star at the start", text: "* --version", line: "node --version", want: covers},
		{name: "star at the start, more behind", text: "* --version", line: "node --version x"},
		{name: "star across lines", text: "echo *", line: "echo 'a\nb'", want: covers},
		{name: "stars and a boundary", text: "git * main:*", line: "git push main", want: covers},
		{name: "stars and a boundary, more", text: "git * main:*", line: "git push main x", want: covers},
		{name: "stars and a boundary, another word", text: "git * main:*", line: "git push maintenance"},
		{name: "star at the start is the program", text: "* --help", line: "bash --help", want: covers},
		{name: "star at the start of what runs another", text: "* --help", line: "bash -c x --help", want: touches},
		{name: "star at the start, more behind, of what runs another", text: "* --help *", line: "/usr/bin/python3.12 -c x --help y", want: touches},
		{name: "star at the start, a part of the name", text: "*thon3 -V", line: "python3 -V", want: covers},
		{name: "star at the start, in quotes", text: "* -V", line: "'sh' -c x -V", want: touches},
		{name: "star at the start of a subcommand", text: "* --help", line: "git commit --help", want: covers},
		{name: "exact", text: "npm test", line: "npm test", want: covers},
		{name: "exact, more", text: "npm test", line: "npm test x"},
		{name: "blanks", text: "npm  run *", line: "npm run   x", want: covers},
		{name: "a tab", text: "rm *", line: "rm\tx", want: covers},
		{name: "a tab in a line with substitutions: deny and ask only", text: "rm *", line: "rm\t$X", want: touches},
		{name: "blanks in a line with substitutions: deny and ask only", text: "git push *", line: "git  push $X", want: touches},
		{name: "an assignment is no part of the command", text: "npm *", line: "X=1 npm test"},
		{name: "letter case", text: "ls *", line: "LS -la"},

		{name: "PowerShell ignores letter case", tool: "PowerShell", text: "get-childitem *", line: "Get-ChildItem -Recurse", want: covers},
		{name: "PowerShell, rule in upper case", tool: "PowerShell", text: "GET-DATE", line: "get-date", want: covers},
		{name: "PowerShell beyond ASCII: deny and ask only", tool: "PowerShell", text: "é *", line: "É x", want: touches},
		{name: "PowerShell, word boundary", tool: "PowerShell", text: "Remove-Item:*", line: "remove-item x", want: covers},
		{name: "Monitor", tool: "Monitor", text: "tail *", line: "tail -f log", want: covers},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.tool == "" {
				tc.tool = "Bash"
			}
			requireWant(t, tc.want, tc.tool, tc.text, runs(tc.line), base)
		})
	}
}

func TestSkills(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, called string
		want               want
	}{
		{name: "exact", text: "deploy", called: "deploy", want: covers},
		{name: "exact, with words", text: "deploy", called: "deploy now"},
		{name: "prefix, alone", text: "deploy *", called: "deploy", want: covers},
		{name: "prefix, with words", text: "deploy *", called: "deploy now", want: covers},
		{name: "prefix, another name", text: "deploy *", called: "deployment"},
		{name: "of a plugin", text: "shop:deploy", called: "shop:deploy", want: covers},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			requireWant(t, tc.want, "Skill", tc.text, pattern.Subject{Kind: pattern.Text, Names: []string{tc.called}}, base)
		})
	}
}
