package tooltest_test

import (
	"cmp"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// adviceElsewhere are the literals that name a tool and that no transcript follows, and why.
// Key is the beginning of the literal.
var adviceElsewhere = map[string]string{
	" Notebooks are changed with NotebookEdit.":     "of a prompt; k03_notebook.txt changes one",
	": list them with Glob.":                        "of a prompt; k10_directories.txt lists one",
	" To change a part of a file use Edit.":         "of a prompt; k15_edit.txt does",
	"the ids that Read shows":                       "of a prompt; notebook_ids.txt uses them",
	" Its output is in %s; read it with TaskOutput": "TestNoticeIsFollowed",
	" Its output is in %s; read it with Read.":      "the same of a task that was forgotten since",
	" Read its output with TaskOutput.":             "the same of a task without a file",
	"Its output is kept in memory":                  "the same where no file can be written",
	" was changed by somebody else while":           "in a race only; unseen.txt reads again after any other change",
	"%q had no task when this call was decided":     "in a race only; tasks.txt stops one",
	"%w: %d, which is the most; stop one":           "it takes as many tasks as there may be; tasks.txt stops one",
	"Result %s has more than %d bytes":              "for scripts; result_store.txt reads in parts",
	"there is no bash for Windows programs":         "Windows only",
	" This conversation ends with your answer":      "an agent's; tasks.txt calls TaskOutput",
	"This conversation ends with your answer":       "an agent's; tasks.txt calls TaskOutput",
	"Task %s watches pull request %s. You are":      "of a subscription; TestSubscriptionIsStopped in tools/comms",
	"TaskStop ends it. All that it prints":          "of a monitor; TestMonitorTellsWhileItRuns in tools/shell",
	"You are told of the end; do not poll.":         "of a call of an MCP server; TestAdviceOfResultsIsFollowed in tools/mcp",
	"%s. Read it with ReadMcpResource":              "the same",
	"Lists the resources of the connected MCP":      "of a prompt; the same",
	"You work out how a change should be made":      "of the prompt of an agent; k01_red_green.txt reads code",
	"These skills can be loaded with the tool":      "of a message; TestAnnouncementIsFollowed in tools/skills",
	"\n[The rest of skill %s is left out.":          "of a summary; TestCarry in tools/skills",
	". To end one, send it a shutdown_request":      "of a notice; answers.txt in tools/agents ends a teammate so",
	"Makes a team, which you lead.":                 "of a prompt; answers.txt in tools/agents starts a teammate",
	"A teammate that has done its task does not":    "of the same prompt; answers.txt ends the teammate",
	"(With SendMessage you can write to ":           "an agent's; those of answers.txt write to main",
	"Your message had no call.":                     "of a run with a schema; Example in tools/structured",
	"a script cannot give the answer":               "the same; TestWhatTheModelIsTold in tools/structured",
	"To wait for something once and for less":       "of a prompt; TestAdviceOfJobsIsFollowed in tools/schedule sets a wake-up",
	"The server may still be indexing: try":         "of a server that is late; lsp.txt in tools/code calls Grep and Read",
	"Use Grep and Read instead":                     "of a server that fails; the same",
	"no language server for %s is installed":        "of a program that is missing; the same",
	"Read the line and send the position":           "of a refused position; TestLSPOfBadInput in tools/code",
	"It was removed meanwhile.":                     "in a race only; lsp.txt in tools/code calls Glob",
	"[Cut: the first %d of %s. Ask":                 "TestLSPCountsTheRest in tools/code",
	"[%s not shown, in files outside":               "TestLSPWithholdsWhatNeedsAQuestion in tools/code; the user is asked for the Read",
	"End your turn after it. You have one wake-up":  "of a prompt; the same makes a job",
	"They go on when this conversation has ended":   "of a prompt; the same makes a job",
	"Lists the jobs that CronCreate has set":        "of a prompt; the same lists one",
	" Recurring jobs end after %d days":             "of a job that fires; the same makes it anew",
	"%w: there are %d, which is the most; delete":   "the same deletes one",
	"%w %s: there is %s; CronList shows":            "the same lists them",
	"a step of %d is more than the field has":       "the same sets a wake-up",
}

// TestAdviceIsFollowed finds each text in the source of the tools that tells the model to use
// a tool. It must stand in a result of a transcript that is followed by just that call, which
// succeeds.
func TestAdviceIsFollowed(t *testing.T) {
	t.Parallel()
	followed, keys := followedTexts(readTranscripts(t, filepath.Join("..", "*", "testdata", "transcripts", "*.txt"))), slices.Collect(maps.Keys(adviceElsewhere))
	seen, missing := map[string]bool{}, []string(nil)
	for _, text := range adviceInSource(t) {
		elsewhere := slices.IndexFunc(keys, func(key string) bool { return strings.HasPrefix(text, key) })
		if elsewhere >= 0 {
			seen[keys[elsewhere]] = true
			continue
		}
		says := func(result string) bool { return strings.Contains(result, longestRun(text)) }
		if !slices.ContainsFunc(followed, says) {
			missing = append(missing, text)
		}
	}
	require.Empty(t, strings.Join(missing, "\n---\n"), "no transcript follows this advice; write one")
	for key := range adviceElsewhere {
		require.True(t, seen[key], "no text begins with %q", key)
	}
}

// followedTexts returns the results that stand right before a StepFollow.
func followedTexts(all map[string]*tooltest.Transcript) (texts []string) {
	for _, transcript := range all {
		results := ""
		for _, s := range transcript.Steps {
			switch s.Kind {
			case tooltest.StepResult, tooltest.StepFailure:
				results += s.Body
			case tooltest.StepFollow:
				texts = append(texts, results)
				results = ""
			case tooltest.StepCall, tooltest.StepTurn:
				results = ""
			}
		}
	}
	return texts
}

var (
	namesTool = regexp.MustCompile(`\b(Read|Glob|Grep|Edit|MultiEdit|Write|NotebookEdit|Bash|PowerShell|REPL|Monitor|TaskOutput|TaskStop|ReadResult|ToolSearch|Skill|Workflow|Agent|SendMessage|ListAgents|TeamCreate|TeamDelete|StructuredOutput|EnterPlanMode|ExitPlanMode|VerifyPlanExecution|AskUserQuestion|CronCreate|CronList|CronDelete|ScheduleWakeup|Sleep|RemoteTrigger)\b`)
	advises   = regexp.MustCompile(`(?i)\b(use|with|read it|read the|list it|by calling|shows|ask|change its|ends it)\b|\bcall (?:it\b|(?-i:[A-Z]))`)
	verb      = regexp.MustCompile(`%[^a-zA-Z%]*[a-zA-Z%]`)
)

// adviceInSource returns the texts of the shipped tools that name a tool and advise it.
func adviceInSource(t *testing.T) (advice []string) {
	t.Helper()
	packages := map[string]map[string]*ast.File{} // by directory and path
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "tooltest") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		dir := filepath.Dir(path)
		if packages[dir] == nil {
			packages[dir] = map[string]*ast.File{}
		}
		packages[dir][path], err = parser.ParseFile(token.NewFileSet(), path, nil, 0)
		return err
	}))
	for _, files := range packages {
		constants := constantTools(files)
		for _, file := range files {
			for _, text := range textsIn(file, constants) {
				if namesTool.MatchString(text) && advises.MatchString(text) && !strings.Contains(text, "jsonschema:") && !strings.Contains(text, "json:\"") {
					advice = append(advice, text)
				}
			}
		}
	}
	require.NotEmpty(t, advice)
	return advice
}

// constantTools returns the constants of a package whose values are names of tools, with the values.
func constantTools(files map[string]*ast.File) map[string]string {
	tools := map[string]string{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Names) == len(spec.Values) {
				for i, value := range spec.Values {
					if text := literal(value); namesTool.FindString(text) == text && text != "" {
						tools[spec.Names[i].Name] = text
					}
				}
			}
			return true
		})
	}
	return tools
}

// textsIn returns the literals in a file. Where a constant is joined to literals, or is an argument of
// a format, the text has the constant's value.
func textsIn(file *ast.File, constants map[string]string) (texts []string) {
	value := func(e ast.Expr) string {
		id, _ := e.(*ast.Ident)
		if id == nil {
			return ""
		}
		return constants[id.Name]
	}
	var sum func(e ast.Expr) (text string, has bool)
	sum = func(e ast.Expr) (text string, has bool) {
		if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD {
			x, hasX := sum(b.X)
			y, hasY := sum(b.Y)
			return x + y, hasX || hasY
		}
		if tool := value(e); tool != "" {
			return tool, true
		}
		return cmp.Or(literal(e), "%v"), false
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			texts = append(texts, literal(n))
		case *ast.BinaryExpr:
			if text, has := sum(n); has {
				texts = append(texts, text)
			}
		case *ast.CallExpr:
			if i := slices.IndexFunc(n.Args, func(e ast.Expr) bool { return strings.Contains(literal(e), "%") }); i >= 0 {
				texts = append(texts, verb.ReplaceAllStringFunc(literal(n.Args[i]), func(verb string) string {
					if i++; i < len(n.Args) {
						return cmp.Or(value(n.Args[i]), verb)
					}
					return verb
				}))
			}
		}
		return true
	})
	return texts
}

// literal returns the value of a literal that is a string, or "".
func literal(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return ""
	}
	text, _ := strconv.Unquote(l.Value) // the file was parsed
	return text
}

// longestRun returns the longest part of a format without verbs.
func longestRun(format string) string {
	parts := verb.Split(format, -1)
	return strings.TrimSpace(slices.MaxFunc(parts, func(a, b string) int { return len(a) - len(b) }))
}

// TestNoticeIsFollowed does what the model is told when a task has ended.
func TestNoticeIsFollowed(t *testing.T) {
	t.Parallel()
	bash := shell.Bash(shell.Options{})
	s, err := tooltest.NewSession(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	out := tooltest.Run(t.Context(), bash, s, `{"command": "until test -e go; do sleep 0.01; done; echo served", "run_in_background": true}`)
	require.NoError(t, out.Err)
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "go"), nil, 0o600))
	for _, task := range background.Of(s).List() {
		_, err := background.Of(s).Wait(t.Context(), task.ID)
		require.NoError(t, err)
	}
	notices := background.Of(s).Notices(s)
	require.Len(t, notices, 1)
	advice := regexp.MustCompile(`task (\S+) .*Its output is in (\S+); read it with TaskOutput or Read\.`).FindStringSubmatch(notices[0].Text)
	require.NotNil(t, advice, notices[0].Text)
	read := tooltest.Run(t.Context(), files.Read(files.ReadOptions{}), s, `{"file_path": "`+advice[2]+`"}`)
	require.Contains(t, read.Result.Text(), "served")
	require.NoError(t, read.Err)
	read = tooltest.Run(t.Context(), shell.TaskOutput(shell.TaskOutputOptions{}), s, `{"task_id": "`+advice[1]+`"}`)
	require.Contains(t, read.Result.Text(), "served")
	require.NoError(t, read.Err)
}
