package tooltest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/skills"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// replayer has the tools that ship.
func replayer() tooltest.Replayer {
	return tooltest.Replayer{
		Tools: append(files.Tools(), files.MultiEdit(files.WriteOptions{}), files.ApplyPatch(files.WriteOptions{}), shell.Bash(shell.Options{}), shell.REPL(shell.REPLOptions{}), shell.TaskOutput(shell.TaskOutputOptions{}), shell.TaskStop(),
			shell.Monitor(shell.Options{}), results.Read(results.Options{}), pegboard.ToolSearch(pegboard.SearchOptions{}), skillTool(), workflowTool()),
		Mask: maskRun,
		Names: map[string]*regexp.Regexp{
			"TASK":   regexp.MustCompile(`\b(shell|monitor|repl|workflow)_[0-9a-z]{4,}\b`),
			"RUN":    regexp.MustCompile(`\bwf-[a-z2-7]{8}\b`),
			"STORED": regexp.MustCompile(`/[^\s"']*/pegboard-(?:results|tasks)[^\s"'/]*/[^\s"';]*[^\s"';.]`),
		},
	}
}

// skillTool is the tool Skill with the skills of the project, which the user trusts.
func skillTool() pegboard.Tool {
	k, err := skills.New(skills.Options{List: func(s *pegboard.Session, _ []string) []skills.Skill {
		dir := filepath.Join(s.Dir(), ".claude", "skills")
		list, _ := skills.Load(os.DirFS(dir), skills.LoadOptions{Dir: dir, Source: skills.SourceProject, Trusted: true})
		return list
	}})
	if err != nil {
		panic(err)
	}
	return k.Tool()
}

// maskRun replaces what differs from run to run.
func maskRun(text string) string {
	return regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|s)\b`).ReplaceAllString(text, "TIME")
}

// maskCommits replaces the ids in what git log --oneline and git commit print.
func maskCommits(text string) string {
	return regexp.MustCompile(`(?m)(^|\[main )[0-9a-f]{7}\b`).ReplaceAllString(text, "${1}COMMIT")
}

// denials returns the texts of the calls that were denied.
func denials(t *tooltest.Transcript) []string {
	var texts []string
	for _, s := range t.Steps {
		if s.Kind == tooltest.StepFailure && strings.HasPrefix(s.Body, s.Name+" was denied") {
			texts = append(texts, s.Body)
		}
	}
	return texts
}

// ownTranscripts are those that this package replays.
var ownTranscripts = filepath.Join("testdata", "transcripts", "*.txt")

// readTranscripts returns the transcripts whose paths match a pattern.
func readTranscripts(t *testing.T, pattern string) map[string]*tooltest.Transcript {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	all := map[string]*tooltest.Transcript{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		all[path], err = tooltest.ParseTranscript(string(text))
		require.NoError(t, err, path)
	}
	return all
}

// needPrograms skips a test that replays what cannot run here.
func needPrograms(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed, and the transcripts run it")
		}
	}
}

// TestTranscripts replays conversations with real files and processes. Each text for the
// model is compared byte by byte; PEGBOARD_UPDATE=1 writes it anew.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("bash and the system's own messages differ there")
	}
	needPrograms(t, "bash", "python3", "git")
	for path, transcript := range readTranscripts(t, ownTranscripts) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			r := replayer()
			if strings.HasPrefix(filepath.Base(path), "result_store") {
				r.Configure = func(c *pegboard.SessionConfig) { c.Limits.ReadMoreHint = results.ReadMoreHint }
			}
			unasked := filepath.Base(path) == "unasked.txt"
			if unasked {
				needPrograms(t, "node", "npx")
				r.Configure = func(c *pegboard.SessionConfig) { c.Ask = nil }
				r.Mask = func(text string) string { return maskCommits(maskRun(text)) }
			}
			again, err := r.Replay(t.Context(), transcript)
			require.NoError(t, err)
			if unasked {
				require.Empty(t, denials(again), "its rules allow every call")
			}
			if os.Getenv("PEGBOARD_UPDATE") != "" {
				require.NoError(t, os.WriteFile(path, []byte(again.String()), 0o600))
				return
			}
			require.Equal(t, transcript.String(), again.String())
		})
	}
}

func TestReplayReportsProblems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, transcript, want string
	}{
		{name: "a follow that fails", transcript: "-- follow --\n{\"name\": \"Read\", \"input\": {\"file_path\": \"no\"}}\n", want: "step 1, follow : Read failed: "},
		{name: "a call that is no JSON", transcript: "-- call --\nRead\n", want: "step 1, call : invalid character"},
		{name: "a key that calls lack", transcript: "-- call --\n{\"tool\": \"Read\"}\n", want: `unknown field "tool"`},
		{name: "a rule that is none", transcript: "-- rules --\nmaybe Read\n", want: `"maybe Read\n" is no rule`},
		{name: "a mode that is none", transcript: "-- rules --\nmode maybe\n", want: "maybe"},
		{name: "an answer that is none", transcript: "-- person maybe --\n", want: "maybe"},
		{name: "a file in a file", transcript: "-- file a --\n-- file a/b --\n", want: "step 2, file a/b: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			transcript, err := tooltest.ParseTranscript(tt.transcript)
			require.NoError(t, err)
			_, err = tooltest.Replayer{Tools: files.Tools()}.Replay(t.Context(), transcript)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestNewSessionRefusesMissingFolder(t *testing.T) {
	t.Parallel()
	_, err := tooltest.NewSession(t.TempDir() + "/none")
	require.Error(t, err)
}
