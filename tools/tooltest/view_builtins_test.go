package tooltest_test

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/skills"
	"github.com/seed49eaa51d/pegboard/tools/structured"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A shownCall is a call of a built-in tool, and what a person reads of it.
type shownCall struct {
	made  string // the function that returns the tool, as api.txt names it; the tool's name if a method does
	tool  pegboard.Tool
	needs string            // a program
	files map[string]string // besides those that every call has
	input string            // D stands for the directory, TASK for a task that runs
	want  pegboard.View
	diff  string // of the first file, as Unified writes it

	mode   policy.Mode    // of the session; empty means bypassPermissions
	answer pegboard.Asker // nil allows
	first  *shownCall     // a call that the session must have made before; only its tool and input count
}

const notebookJSON = `{"cells":[{"cell_type":"markdown","id":"aa","metadata":{},"source":["one"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`

// far is the only session elsewhere.
type far struct{}

func (far) List(context.Context) ([]agents.Peer, error) { return []agents.Peer{{ID: "far"}}, nil }

func (far) Send(context.Context, string, string, string) error { return nil }

// ofAgents returns a tool of package agents.
func ofAgents(name string) pegboard.Tool {
	registry := new(pegboard.Registry)
	group, err := agents.New(agents.Options{
		Registry: registry, Peers: far{}, Teams: true,
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: agents.GeneralPurpose, Description: "For anything."}}
		},
		Loop: func(context.Context, *agents.Agent) (agents.Reply, error) {
			return agents.Reply{Text: "It is done."}, nil
		},
	})
	if err == nil {
		err = registry.Add(append(group.Tools(), files.Read(files.ReadOptions{}))...)
	}
	if err != nil {
		panic(err)
	}
	tools := group.Tools()
	return tools[slices.IndexFunc(tools, func(t pegboard.Tool) bool { return t.Info().Name == name })]
}

// ofTasks returns a tool of a list of tasks that has one.
func ofTasks(name string) pegboard.Tool {
	list, err := tasks.Open("", tasks.Hooks{})
	if err == nil {
		_, err = list.Create(context.Background(), tasks.Task{Subject: "Release"})
	}
	if err != nil {
		panic(err)
	}
	tools := list.Tools()
	return tools[slices.IndexFunc(tools, func(t pegboard.Tool) bool { return t.Info().Name == name })]
}

// noTriggers is a service without triggers.
type noTriggers struct{}

func (noTriggers) Do(context.Context, schedule.Request) (int, json.RawMessage, error) {
	return 200, json.RawMessage(`[]`), nil
}

// ofSchedule returns a tool of package schedule. Its clock stands.
func ofSchedule(name string) pegboard.Tool {
	jobs, err := schedule.Open("", schedule.Options{Exact: true, Location: time.UTC, Now: func() time.Time { return time.Date(2030, 5, 6, 8, 0, 0, 0, time.UTC) }})
	if err != nil {
		panic(err)
	}
	remote, err := schedule.RemoteTrigger(noTriggers{})
	if err != nil {
		panic(err)
	}
	tools := append(jobs.Tools(), remote)
	return tools[slices.IndexFunc(tools, func(t pegboard.Tool) bool { return t.Info().Name == name })]
}

func shownCalls() []shownCall {
	view := func(title string, kind pegboard.CallKind, before, while, after string) pegboard.View {
		folds := kind == pegboard.KindRead || kind == pegboard.KindSearch || kind == pegboard.KindList
		return pegboard.View{Title: title, Kind: kind, Folds: folds, Before: before, While: while, After: after}
	}
	read, edit := files.Read(files.ReadOptions{}), files.Edit(files.WriteOptions{AllowUnread: true})
	write, cells := files.Write(files.WriteOptions{AllowUnread: true}), files.NotebookEdit(files.WriteOptions{AllowUnread: true})
	bash := shell.Bash(shell.Options{})
	grep, search := files.Grep(files.GrepOptions{}), pegboard.ToolSearch(pegboard.SearchOptions{})
	plans := session.PlanTools(session.PlanOptions{})
	answer, err := structured.New(json.RawMessage(`{"type":"object"}`))
	if err != nil {
		panic(err)
	}
	greet, err := skills.New(skills.Options{List: func(*pegboard.Session, []string) []skills.Skill {
		return []skills.Skill{{Name: "greet", Description: "Greets.", Body: "Say hello."}}
	}})
	if err != nil {
		panic(err)
	}
	leave := shownCall{tool: plans[1], input: `{"plan":"1. Look"}`}
	worktrees := session.Worktree(session.WorktreeOptions{
		Create: func(context.Context, string) (string, error) { return os.Getwd() },
		Remove: func(context.Context, string) error { return nil },
	})
	return []shownCall{
		{made: "files.Read", tool: read, input: `{"file_path":"D/a.txt"}`, want: view("Read", pegboard.KindRead, "Read a.txt", "Reading a.txt", "Read 2 lines")},
		{made: "files.Read", tool: read, input: `{"file_path":"a.txt","offset":2,"limit":1}`, want: view("Read", pegboard.KindRead, "Read a.txt, line 2", "Reading a.txt, line 2", "Read 1 line")},
		{made: "files.Read", tool: read, input: `{"file_path":"empty"}`, want: view("Read", pegboard.KindRead, "Read empty", "Reading empty", "Read an empty file")},
		{made: "files.Read", tool: read, input: `{"file_path":"n.ipynb","limit":5}`, want: view("Read", pegboard.KindRead, "Read n.ipynb, cells 1 to 5", "Reading n.ipynb, cells 1 to 5", "Read 1 cell")},
		{
			made: "files.Write", tool: write, input: `{"file_path":"D/new.txt","content":"a\nb\n"}`,
			want: view("Write", pegboard.KindEdit, "Write new.txt", "Writing new.txt", "Created with 2 lines"), diff: "@@ -0,0 +1,2 @@\n+a\n+b\n",
		},
		{
			made: "files.Write", tool: write, input: `{"file_path":"a.txt","content":"one\n"}`,
			want: view("Write", pegboard.KindEdit, "Write a.txt", "Writing a.txt", "Removed 1 line"), diff: "@@ -1,2 +1 @@\n one\n-two\n",
		},
		{
			made: "files.Edit", tool: edit, input: `{"file_path":"a.txt","old_string":"two","new_string":"2\n3"}`,
			want: view("Edit", pegboard.KindEdit, "Edit a.txt", "Editing a.txt", "Added 2 lines, removed 1 line"), diff: "@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n",
		},
		{
			made: "files.Edit", tool: edit, input: `{"file_path":"made.txt","old_string":"","new_string":"x"}`,
			want: view("Edit", pegboard.KindEdit, "Create made.txt", "Creating made.txt", "Created with 1 line"), diff: "@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
		},
		{
			made: "files.MultiEdit", tool: files.MultiEdit(files.WriteOptions{AllowUnread: true}), input: `{"file_path":"a.txt","edits":[{"old_string":"two","new_string":"2"},{"old_string":"one","new_string":"1"}]}`,
			want: view("Edit", pegboard.KindEdit, "Edit a.txt", "Editing a.txt", "Added 2 lines, removed 2 lines"), diff: "@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n",
		},
		{
			made: "files.ApplyPatch", tool: files.ApplyPatch(files.WriteOptions{AllowUnread: true}), input: `{"input":"*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch"}`,
			want: view("Apply patch", pegboard.KindEdit, "Patch a.txt", "Patching a.txt", "Added 1 line, removed 1 line"), diff: "@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
		},
		{
			made: "files.NotebookEdit", tool: cells, input: `{"notebook_path":"n.ipynb","cell_id":"aa","new_source":"two"}`,
			want: view("Edit notebook", pegboard.KindEdit, "Edit the cell aa of n.ipynb", "Editing the cell aa of n.ipynb", "Replaced the source of the markdown cell aa"), diff: "two",
		},
		{
			made: "files.NotebookEdit", tool: cells, input: `{"notebook_path":"n.ipynb","cell_id":"aa","new_source":"","edit_mode":"delete"}`,
			want: view("Edit notebook", pegboard.KindEdit, "Delete the cell aa of n.ipynb", "Deleting the cell aa of n.ipynb", "Deleted the markdown cell aa"), diff: "-",
		},
		{made: "files.Glob", tool: files.Glob(files.GlobOptions{}), input: `{"pattern":"*.txt"}`, want: view("Find files", pegboard.KindSearch, "Find *.txt", "Finding *.txt", "Found 1 file")},
		{made: "files.Glob", tool: files.Glob(files.GlobOptions{}), input: `{"pattern":"*"}`, want: view("Find files", pegboard.KindList, "Find *", "Finding *", "Found 3 files")},
		{made: "files.Grep", tool: grep, input: `{"pattern":"o","path":"D/a.txt"}`, want: view("Search files", pegboard.KindSearch, "Search for o in a.txt", "Searching for o in a.txt", "Found 1 file")},
		{made: "files.Grep", tool: grep, input: `{"pattern":"o","output_mode":"content","glob":"*.txt"}`, want: view("Search files", pegboard.KindSearch, "Search for o, files *.txt", "Searching for o, files *.txt", "Found 2 lines in 1 file")},
		{made: "files.Grep", tool: grep, input: `{"pattern":"zzz"}`, want: view("Search files", pegboard.KindSearch, "Search for zzz", "Searching for zzz", "Found nothing")},
		{made: "shell.Bash", tool: bash, needs: "bash", input: `{"command":"cat a.txt"}`, want: view("Bash", pegboard.KindRead, "Run cat a.txt", "Running cat a.txt", "Printed 2 lines")},
		{made: "shell.Bash", tool: bash, needs: "bash", input: `{"command":"ls | grep zzz"}`, want: view("Bash", pegboard.KindSearch, "Run ls | grep zzz", "Running ls | grep zzz", "Exit code 1: nothing matched, no output")},
		{made: "shell.Bash", tool: bash, needs: "bash", input: `{"command":"ls -a"}`, want: view("Bash", pegboard.KindList, "Run ls -a", "Running ls -a", "Printed 5 lines")},
		{
			made: "shell.Bash", tool: bash, needs: "bash", input: `{"command":"cat > x <<E\nrm -rf /\nE\nexit 3","description":"Read\na file"}`,
			want: func() pegboard.View {
				v := view("Bash", pegboard.KindRun, "Run cat > x <<E ⏎ rm -rf / ⏎ E ⏎ exit 3", "Read ⏎ a file", "Exit code 3, no output")
				v.Failed = true
				return v
			}(),
		},
		{made: "shell.PowerShell", tool: shell.PowerShell(shell.Options{Shell: []string{"bash", "-c", "echo x"}}), needs: "bash", input: `{"command":"echo \"x\""}`, want: view("PowerShell", pegboard.KindRun, `Run echo "x"`, `Running echo "x"`, "Printed 1 line")},
		{made: "shell.REPL", tool: shell.REPL(shell.REPLOptions{}), needs: "python3", input: `{"code":"x = 1\nx","description":"count"}`, want: view("Run code", pegboard.KindRun, "Run python: x = 1 ⏎ x", "count", "Ran, 1 line of output")},
		{made: "shell.TaskOutput", tool: shell.TaskOutput(shell.TaskOutputOptions{}), input: `{"task_id":"TASK","block":false}`, want: view("Task output", pegboard.KindRead, "Look at task TASK", "Looking at task TASK", "Task TASK (make serve) has been running")},
		{made: "shell.TaskStop", tool: shell.TaskStop(), input: `{"task_id":"TASK"}`, want: view("Stop task", pegboard.KindRun, "Stop task TASK", "Stopping task TASK", "Task TASK (make serve) was stopped")},
		{made: "shell.Monitor", tool: shell.Monitor(shell.Options{}), needs: "bash", input: `{"description":"x","command":"tail -f a.txt"}`, want: view("Monitor", pegboard.KindRun, "Monitor tail -f a.txt", "Starting to monitor tail -f a.txt", "Watches as monitor_")},
		{made: "results.Read", tool: results.Read(results.Options{}), input: `{"ref":"REF"}`, want: view("Read result", pegboard.KindRead, "Read REF", "Reading REF", "Read 10 bytes of 10")},
		{made: "results.Read", tool: results.Read(results.Options{}), input: `{"ref":"REF","pattern":"5"}`, want: view("Read result", pegboard.KindRead, "Search REF for 5", "Searching REF for 5", "Found 1 line")},
		{made: "schedule.Sleep", tool: schedule.Sleep(schedule.SleepOptions{}), input: `{"seconds":0,"reason":"the build"}`, want: view("Sleep", pegboard.KindOther, "Sleep for 0s: the build", "Sleeping for 0s: the build", "Slept for 0s.")},
		{made: "CronCreate", tool: ofSchedule("CronCreate"), input: `{"cron":"0 9 * * 1-5","prompt":"x"}`, want: view("Schedule job", pegboard.KindOther, "Schedule a job on weekdays at 09:00", "Scheduling a job on weekdays at 09:00", "Job ")},
		{made: "CronList", tool: ofSchedule("CronList"), input: `{}`, want: view("List jobs", pegboard.KindList, "List the scheduled jobs", "Listing the scheduled jobs", "0 jobs")},
		{made: "ScheduleWakeup", tool: ofSchedule("ScheduleWakeup"), input: `{"delaySeconds":60}`, want: view("Schedule wake-up", pegboard.KindOther, "Schedule a wake-up", "Scheduling a wake-up", "You are woken at 2030-05-06 08:01:00 UTC")},
		{made: "RemoteTrigger", tool: ofSchedule("RemoteTrigger"), input: `{"action":"list"}`, want: view("Remote trigger", pegboard.KindFetch, "Remote trigger: list", "Remote trigger: list", "Status 200")},
		{made: "Agent", tool: ofAgents("Agent"), input: `{"description":"look around","prompt":"x"}`, want: view("Agent", pegboard.KindRun, "Start agent general-purpose: look around", "Agent general-purpose: look around", "")},
		{made: "SendMessage", tool: ofAgents("SendMessage"), input: `{"to":"far","message":"x","summary":"news"}`, want: view("Send message", pegboard.KindRun, "Message to far: news", "Sending a message to far", "Sent to the session far")},
		{made: "ListAgents", tool: ofAgents("ListAgents"), input: `{}`, want: view("List agents", pegboard.KindList, "List the agents", "Listing the agents", "0 agents")},
		{made: "TeamCreate", tool: ofAgents("TeamCreate"), input: `{"team_name":"red"}`, want: view("Create team", pegboard.KindRun, "Make the team red", "Making the team red", "The team red is there")},
		{made: "StructuredOutput", tool: answer.Tool(), input: `{"n":1}`, want: view("Answer", pegboard.KindOther, "Give the answer", "Giving the answer", "Gave the answer")},
		{made: "Skill", tool: greet.Tool(), input: `{"skill":"greet"}`, want: view("Skill", pegboard.KindRead, "Load skill greet", "Loading skill greet", "Loaded skill greet")},
		{made: "Workflow", tool: workflowTool(), input: `{"script":"return 1","title":"steps"}`, want: view("Workflow", pegboard.KindRun, "Run workflow steps", "Starting workflow steps", "")},
		{made: "EnterPlanMode", tool: plans[0], input: `{}`, want: view("Plan", pegboard.KindOther, "Enter plan mode", "Entering plan mode", "Entered plan mode")},
		{made: "ExitPlanMode", tool: plans[1], mode: policy.ModePlan, input: `{"plan":"1. Look"}`, want: view("Plan", pegboard.KindOther, "Approve the plan", "Leaving plan mode", "The plan is approved")},
		{made: "VerifyPlanExecution", tool: plans[2], mode: policy.ModePlan, first: &leave, input: `{"steps":[{"step":"1","done":true,"evidence":"x"}]}`, want: view("Check the plan", pegboard.KindOther, "Check 1 step against the plan", "Checking the plan", "1 of 1 steps named")},
		{
			made: "session.AskUserQuestion", tool: session.AskUserQuestion(), answer: answerRed,
			input: `{"questions":[{"question":"Red or blue?","header":"Color","options":[{"label":"Red","description":""},{"label":"Blue","description":""}]}]}`,
			want:  view("Ask the user", pegboard.KindOther, "Ask: Color", "Asking: Color", "1 of 1 answered"),
		},
		{made: "tasks.TodoWrite", tool: tasks.TodoWrite(tasks.TodoOptions{}), input: `{"todos":[{"content":"a","status":"pending","activeForm":"b"}]}`, want: view("Write todos", pegboard.KindOther, "Write a list of todos, 1 in all", "Writing a list of todos, 1 in all", "The list of todos was replaced: 1 pending.")},
		{made: "TaskCreate", tool: ofTasks("TaskCreate"), input: `{"subject":"Test","description":""}`, want: view("Create task", pegboard.KindOther, "Add the task Test", "Adding the task Test", "Task #2 was added: Test")},
		{made: "TaskGet", tool: ofTasks("TaskGet"), input: `{"taskId":"#1"}`, want: view("Show task", pegboard.KindRead, "Show the task 1", "Looking at the task 1", "Task #1 (Release), pending")},
		{made: "TaskList", tool: ofTasks("TaskList"), input: `{}`, want: view("List tasks", pegboard.KindList, "List the tasks", "Listing the tasks", "0 of 1 tasks are completed")},
		{made: "TaskUpdate", tool: ofTasks("TaskUpdate"), input: `{"taskId":"1","status":"in_progress"}`, want: view("Update task", pegboard.KindOther, "Change the task 1 to in progress", "Changing the task 1 to in progress", "Task #1 (Release) was changed: status")},
		{made: "EnterWorktree", tool: worktrees[0], input: `{"name":"copy"}`, want: view("Enter worktree", pegboard.KindRun, "Enter a worktree copy", "Entering a worktree copy", "")},
		{
			made: "ExitWorktree", tool: worktrees[1], first: &shownCall{tool: worktrees[0], input: `{"name":"copy"}`}, input: `{"action":"keep"}`,
			want: view("Exit worktree", pegboard.KindRun, "Leave the worktree and keep it", "Leaving the worktree", ""),
		},
		{made: "pegboard.ToolSearch", tool: search, input: `{"query":"select:Nothing"}`, want: view("Find tools", pegboard.KindSearch, "Find tools: select:Nothing", "Finding tools: select:Nothing", "Found 0 tools")},
	}
}

// TestBuiltinToolsSayWhatTheyDo: each tool that ships has a title, a kind, and three lines
// for a real call, and is found in the list above.
func TestBuiltinToolsSayWhatTheyDo(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, sc := range slices.Concat(shownCalls(), commsCalls(), configCalls(), webCalls(), codeCalls()) {
		shown[sc.made] = true
		t.Run(sc.made+" "+sc.input, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(sc.needs); sc.needs != "" && err != nil {
				t.Skip(sc.needs + " is not installed; the tool has nothing to run")
			}
			if runtime.GOOS == "windows" && sc.needs == "bash" {
				t.Skip("what bash says differs there")
			}
			v := sc.run(t)
			for _, line := range []string{v.Title, v.Before, v.While, v.After} {
				require.NotEmpty(t, line)
				require.Equal(t, pegboard.OneLine(line), line)
				require.LessOrEqual(t, utf8.RuneCountInString(line), pegboard.MaxLine)
			}
			require.NotEmpty(t, v.SearchText+v.After)
			diffs := v.Diffs
			require.True(t, strings.HasPrefix(v.After, sc.want.After), v.After)
			v.Diffs, v.SearchText, v.After = nil, "", sc.want.After
			require.Equal(t, sc.want, v)
			if sc.diff == "" {
				require.Empty(t, diffs)
				return
			}
			require.Len(t, diffs, 1)
			require.True(t, filepath.IsAbs(diffs[0].Path))
			require.Contains(t, diffs[0].Unified(), sc.diff)
		})
	}
	for _, made := range shippedTools(t) {
		require.True(t, shown[made], "%s returns a tool; add a call of it to shownCalls, and say in the tool what a person reads of it", made)
	}
}

// run runs the call in a session with a few files, a task and a stored result.
func (sc *shownCall) run(t *testing.T) pegboard.View {
	t.Helper()
	dir := builtinDir(t)
	for name, content := range sc.files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	s := sc.session(t, dir)
	if sc.first != nil {
		require.NoError(t, tooltest.Run(t.Context(), sc.first.tool, s, sc.first.input).Err)
	}
	var handle *background.Handle
	var err error
	handle, err = background.Of(s).Add(s, background.Work{Kind: "shell", Command: "make serve", Stop: func(error) { handle.Done(background.Killed, nil, nil) }})
	require.NoError(t, err)
	ref, err := s.ResultStore().Put(t.Context(), "a result", "text/plain", strings.NewReader("123456789\n"))
	require.NoError(t, err)
	quotedDir, err := json.Marshal(dir)
	require.NoError(t, err)
	fill := strings.NewReplacer("TASK", handle.ID(), "REF", ref.Ref)
	sc.want.Before, sc.want.While, sc.want.After = fill.Replace(sc.want.Before), fill.Replace(sc.want.While), fill.Replace(sc.want.After)
	input := strings.ReplaceAll(fill.Replace(sc.input), `"D/`, strings.TrimSuffix(string(quotedDir), `"`)+"/")
	require.NoError(t, tooltest.Checker{Session: s}.Check(tooltest.StandIn(sc.tool), input)) // it does not run
	out := tooltest.Run(t.Context(), sc.tool, s, input)
	require.NoError(t, out.Err)
	require.NoError(t, tooltest.CheckView(out))
	return out.View()
}

// session returns a session in dir.
func (sc *shownCall) session(t *testing.T, dir string) *pegboard.Session {
	t.Helper()
	perms, err := policy.New(cmp.Or(sc.mode, policy.ModeBypass))
	require.NoError(t, err)
	answer := sc.answer
	if answer == nil {
		answer = func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow}, nil
		}
	}
	s, err := pegboard.NewSession(session.Prepare(pegboard.SessionConfig{Dir: dir, Permissions: perms, Ask: answer}))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

// answerRed answers the question of color.
func answerRed(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
	return session.Answer(q, session.Answers{Answers: map[string]string{"Red or blue?": "Red"}})
}

// shippedTools returns the functions that return tools of the root and of the folders below
// tools, by api.txt.
func shippedTools(t *testing.T) (made []string) {
	t.Helper()
	api, err := os.ReadFile(filepath.Join("..", "..", "api.txt"))
	require.NoError(t, err)
	function := regexp.MustCompile(`(?m)^pkg (\S+), func (\w+)\([^\[\])]*\) pegboard\.Tool$`)
	for _, m := range function.FindAllStringSubmatch(string(api), -1) {
		made = append(made, path.Base(m[1])+"."+m[2])
	}
	require.Contains(t, made, "files.Read")
	return made
}
