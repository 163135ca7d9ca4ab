package security_test

import (
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestLinesOfModes writes lines as TestReadOnlyLines does and runs those that need
// nobody's leave in other modes.
func TestLinesOfModes(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	seed, runs := lineSeed(t), effort.Of(t, 40)
	denials := policy.RuleSet{Deny: []string{"Bash(touch:*)", "Bash(evil.sh:*)", "Read(//**/secret.txt)", "Edit(./src/**)"}}
	for name, p := range map[string]confinement{
		"plan":                {mode: policy.ModePlan},
		"acceptEdits":         {mode: policy.ModeAcceptEdits, verdict: beyondEdits},
		"bypass under a deny": {mode: policy.ModeBypass, rules: denials, verdict: denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWriter(t, rand.New(rand.NewPCG(seed, 100)).IntN)
			base := newBase(t, source{folder: "testdata"})
			fresh := func() *sandbox {
				tr := base.grow(t, planted(), "proj")
				settle(t, tr)
				return enter(t, tr, p, haste, tr.state(t))
			}
			box, ran, written := fresh(), 0, 0
			for ; ran < runs; written++ {
				line := w.line()
				if !box.allows(t, line) {
					continue
				}
				ran++
				wrong, printed := box.run(t, line)
				if len(wrong) > 0 {
					t.Error(verdict(line, wrong, printed))
				}
				if len(wrong) > 0 || len(changes(box.before, box.tree.state(t))) > 0 {
					box = fresh()
				}
			}
			t.Logf("%d of %d lines ran", ran, written)
		})
	}
}

// hostileRepositories matches lines that may use a repository of the tree whose settings name a
// program.
var hostileRepositories = regexp.MustCompile(`evil|bare`)

// protectedNames are some files and directories of a project that other programs trust,
// written down here apart from the table of the engine.
var protectedNames = []string{".git", ".claude", ".vscode", ".idea", ".husky", ".envrc", ".npmrc", ".gitmodules", ".gitconfig", ".mcp.json", ".bashrc", ".profile", ".zshrc"}

// beyondEdits is what a line did beyond changing files of the project that nobody
// protects.
func beyondEdits(j *judge, changed []string) (wrong []string) {
	for _, text := range j.wrong {
		if !strings.Contains(text, " calls ") && !strings.Contains(text, " opens to write: ") {
			wrong = append(wrong, text)
		}
	}
	for _, text := range changed {
		_, name, _ := strings.Cut(text, ": ")
		inside := strings.HasPrefix(name, "proj/")
		if !inside || slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return slices.Contains(protectedNames, part) }) {
			wrong = append(wrong, text)
		}
	}
	return wrong
}

// denied is what a line did that the rules of TestLinesOfModes deny. What a script of the tree
// does, or a program that the settings of a repository name, deny rules do not see in bypass
// mode: see ROUGH_EDGES.md.
func denied(j *judge, changed []string) (wrong []string) {
	for _, name := range j.started {
		if name == "touch" || name == "evil.sh" {
			wrong = append(wrong, name+" ran")
		}
	}
	for _, name := range j.opened {
		if path.Base(name) == "secret.txt" {
			wrong = append(wrong, "opened: "+name)
		}
	}
	for _, text := range changed {
		if _, name, _ := strings.Cut(text, ": "); !j.planted && strings.HasPrefix(name, "proj/src/") {
			wrong = append(wrong, text)
		}
	}
	return slices.Compact(wrong)
}
