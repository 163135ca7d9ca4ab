package shellparse_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// TestArgumentsThatMayBeWritten: an argument counts as a file that is written unless a table
// knows better, in every place in which an option or an operand may hold it.
func TestArgumentsThatMayBeWritten(t *testing.T) {
	t.Parallel()
	mayWrite := func(line string) bool {
		return slices.ContainsFunc(parse(line).Commands, func(c shellparse.Command) bool {
			return slices.ContainsFunc(c.Paths, func(p shellparse.Path) bool { return p.Write && (!p.Guess || p.MayWrite) && p.Name == "/proj/../w" })
		})
	}
	for _, line := range []string{
		"mytool ../w", "mytool sub -x ../w", "mytool --report=../w", "mytool -o../w", "./x ../w", "link a ../w", "unlink ../w", "sqlite3 ../w 'create table a(b)'",
		"sqlite3 :memory: '.once ../w'", "sqlite3 x \"vacuum into '../w'\"", "openssl enc -in a -out ../w", "gofmt -w ../w", "gcc -MF ../w -c a.c", "go tool compile -o ../w a.go", "go test -c -o ../w",
		"scp h:x ../w", "sftp h:x ../w", "rsync a ../w", "rsync -b --backup-dir=../w a b", "docker cp c:/x ../w", "docker run --cidfile ../w x", "docker build --iidfile=../w .", "docker compose cp c:/x ../w",
		"podman save -o ../w x", "kubectl cp x:/a ../w", "wget --hsts-file=../w http://x", "curl --trace-file ../w x", "strace -o ../w ls", "ltrace -o ../w ls", "script -c ls ../w", "ssh -E ../w h", "patch ../w", "tree -o ../w",
		"eslint --fix ../w", "npx prettier --write ../w", "uv venv ../w", "python3 x.py ../w", "sudo cp a ../w", "env cp a ../w", "sh -c 'cp a ../w'", "xargs cp -t ../w", "find . -exec cp {} ../w \\;", "python3 -c \"open('../w','w')\"",
	} {
		require.True(t, mayWrite(line), line)
	}
	for _, line := range []string{
		"cat ../w", "grep -r x ../w", "sudo cat ../w", "xargs grep x ../w", "sh -c 'cat ../w'", "git commit -m ../w", "git push ../w", "mytool 'as in ../w'", "docker exec c cat ../w", "docker compose exec c cat ../w",
		"docker run x cat ../w", "kubectl exec p -- cat ../w", "ssh h cat ../w", "python3 ../w", "node ../w", "curl -d @../w localhost", "sed -n 1p ../w --x", "npm run x", "python3 -c \"print(open('../w').name)\"",
	} {
		require.False(t, mayWrite(line), line)
	}
}
