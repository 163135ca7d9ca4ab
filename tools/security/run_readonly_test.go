package security_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// seedVariable names the environment variable with the seed of the generated lines.
const seedVariable = "PEGBOARD_LINES_SEED"

// evil is a program that leaves a mark when it runs.
const evil = "#!/bin/sh\n/usr/bin/touch pwned\n"

// planted is a project that somebody prepared for hurried readers: programs with
// the names of others, files with the names of flags and of patterns, links that lead
// out, and repositories whose configuration starts programs.
func planted() fixture {
	hostile := "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ./evil.sh\n\tpager = ./evil.sh\n[diff]\n\texternal = ./evil.sh\n[alias]\n\tstatus = !touch pwned\n"
	return fixture{
		Files: map[string]string{
			"evil.sh": evil, "cat": evil, "ls": evil, "git": evil, "src/cat": evil, "evil/evil.sh": evil, "bare/evil.sh": evil,
			"patterns": "../out/*\nx ../out/s*\n/etc/h*\n", "*": "", "q *": "", "odd/*": "", "odd/q ../out/*": "", "odd/-l": "", "odd/\\057*": "",
			"a b.txt": "a\n", "x": "echo\n", "program": "w pwned\n", "list0": "../out/secret.txt\x00", ";touch pwned": "", "$(touch pwned)": "",
			"flags/-exec": "", "flags/--output=pwned": "", "flags/-o": "", "flags/@args": "-v\n", "flags/+x": "", "flags/x=1": "", "flags/a.txt": "a\n",
			"more/-R": "", "more/a.txt": "a x\n", "deep/-R": "", "deep/a.txt": "a x\n",
			"names/-RL": "", "names/d/a": "", "packed/--files=list": "", "packed/-f": "", "packed/list": "../../out/secret.txt\n",
			"sums/-c": "", "sums/list": "d41d8cd98f00b204e9800998ecf8427e  ../../out/secret.txt\n",
			"zero/--files0-from=list": "", "zero/list": "../../out/secret.txt\x00", "tool/go.mod": "module x\n\ngo 1.99\n\ntoolchain go1.99.1\n",
			"evil/.git/HEAD": "ref: refs/heads/main\n", "evil/.git/config": hostile, "bare/HEAD": "ref: refs/heads/main\n", "bare/config": hostile,
		},
		Exec:     []string{"evil.sh", "cat", "ls", "git", "src/cat", "evil/evil.sh", "bare/evil.sh"},
		Dirs:     []string{"evil/.git/objects", "evil/.git/refs", "bare/objects", "bare/refs"},
		Symlinks: map[string]string{"outlink": "../out/secret.txt", "linked": "../out", "self": ".", "more/linked": "../../out", "names/d/linked": "../../../out", "odd/dangling": "../out/*", "deep/d/linked": "../../../out"},
	}
}

// newWriter returns a writer of lines.
func newWriter(t testing.TB, pick func(n int) int) *writer {
	t.Helper()
	w := &writer{pick: pick, grammar: grammarOf(syntaxText, commandText, dataText)}
	for _, line := range corpus.Lines(t, filepath.Join("testdata", "shell.jsonl")) {
		var row shellRow
		require.NoError(t, json.Unmarshal(line, &row))
		if !strings.Contains(row.Command, "{{") {
			w.rows = append(w.rows, row.Command)
		}
	}
	return w
}

// TestReadOnlyLines writes lines for bash and runs those that need nobody's leave:
// they change nothing, start nothing of which the parser does not speak, and read
// nothing outside the working directory.
func TestReadOnlyLines(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	const workers = 2
	seed, runs := lineSeed(t), effort.Of(t, 75)
	for n := range uint64(workers) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			w := newWriter(t, rand.New(rand.NewPCG(seed, n)).IntN)
			base := newBase(t, source{folder: "testdata"})
			box := enclosure(t, base.grow(t, planted(), "proj"), policy.ModeDefault, haste)
			ran, written := 0, 0
			for ; ran < runs; written++ {
				line := w.line()
				if !box.allows(t, line) {
					continue
				}
				ran++
				if wrong, printed := box.run(t, line); len(wrong) > 0 {
					t.Error(verdict(line, wrong, printed))
					box = enclosure(t, base.grow(t, planted(), "proj"), policy.ModeDefault, haste)
				}
			}
			t.Logf("%d of %d lines ran", ran, written)
		})
	}
}

func lineSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv(seedVariable)
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, seedVariable)
	return seed
}

// verdict says what a line did.
func verdict(line string, wrong []string, printed string) string {
	const shown = 15
	if n := len(wrong) - shown; n > 0 {
		wrong = append(wrong[:shown:shown], fmt.Sprintf("and %d more", n))
	}
	return fmt.Sprintf("%q ran unasked:\n%s\nit printed: %.500s", line, strings.Join(wrong, "\n"), printed)
}

// FuzzReadOnlyLines is TestReadOnlyLines with the choices made by the fuzzer.
func FuzzReadOnlyLines(f *testing.F) {
	f.Add([]byte{})
	random := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		choices := make([]byte, 80)
		for i := range choices {
			choices[i] = byte(random.IntN(256))
		}
		f.Add(choices)
	}
	needSandbox(f)
	w, kept := newWriter(f, nil), tree{root: filepath.Join(f.TempDir(), "tree")}
	var state map[string]string // of the tree, if there is one
	f.Fuzz(func(t *testing.T, choices []byte) {
		if state == nil {
			tr := newBase(t, source{folder: "testdata"}).grow(t, planted(), "proj")
			require.NoError(t, os.Rename(tr.root, kept.root))
			settle(t, kept)
			state = kept.state(t)
		}
		w.pick = chooser(choices)
		line := w.line()
		box := enter(t, kept, confinement{mode: policy.ModeDefault}, haste, state)
		if !box.allows(t, line) {
			return
		}
		if wrong, printed := box.run(t, line); len(wrong) > 0 {
			state = nil
			require.NoError(t, os.RemoveAll(kept.root))
			t.Error(verdict(line, wrong, printed))
		}
	})
}

// chooser makes choices of bytes, and then always the first.
func chooser(choices []byte) func(n int) int {
	next := func() (c int) {
		if len(choices) > 0 {
			c, choices = int(choices[0]), choices[1:]
		}
		return c
	}
	return func(n int) int {
		if n > 256 {
			return (next()<<8 | next()) % n
		}
		return next() % n
	}
}

// TestReadOnlyRows runs the benign rows that need no rule, each in its own tree.
func TestReadOnlyRows(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	plain := func(row runRow) bool {
		return row.Kind == "benign" && row.Mode == "default" && len(row.Rules.Allow) == 0
	}
	runRows(t, plain, func(t *testing.T, base base, row runRow, f fixture) {
		t.Helper()
		box := enclosure(t, base.grow(t, f, "proj"), policy.ModeDefault, haste)
		command := box.tree.fill(row.Command)
		if !box.allows(t, command) {
			return // TestShell counts it
		}
		wrong, printed := box.run(t, command)
		require.Empty(t, wrong, verdict(command, wrong, printed))
	})
}
