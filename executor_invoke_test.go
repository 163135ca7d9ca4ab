package pegboard_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestInvokeIsTheOnlySeam gives the far side a session of its own.
func TestInvokeIsTheOnlySeam(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, slow(pegboard.Info{Name: "Slow"}, false))
	far := reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{Invoke: farInvoke(far)})
	out := ex.Run(t.Context(), reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "Slow", `{"ms":1}`))[0]
	require.NoError(t, out.Err)
	require.Equal(t, "done", out.Result.Text())

	_, _, err := far.Rebuild(call("1", "Slow", `{"ms":"1"}`))
	require.ErrorIs(t, err, pegboard.ErrInvalidInput)
	_, _, err = far.Rebuild(call("1", "None", `{}`))
	require.ErrorIs(t, err, pegboard.ErrUnknownTool)
}

// nearOnly are the tests that cannot pass through farInvoke, by the reason.
var nearOnly = []struct {
	reason string
	tests  []string
}{
	{reason: "on the far side a Check in mid-call asks nobody, see Pool.Rebuild", tests: []string{
		"TestFactRulesWhileACallRuns",
		"TestCheckAndFilter/write_inside",
		"TestCheckAndFilter/read_outside",
		"TestCheckAndFilter/read_outside_through_a_link",
		"TestCheckAndFilter/asked_by_a_rule",
		"TestCheckAndFilter/only_a_person_may",
		"TestCheckAndFilter/refused",
		"TestCheckAndFilter/no_answer",
		"TestCheckAndFilter/undecided",
		"TestCheckAndFilter/an_answer_that_changes_the_input",
		"TestLateAnswerToACheckDoesNotCount",
		"TestCheckAsksTheClassifier",
		"TestACheckCannotBePutOff",
		"TestAnAnswerForTheUserCannotChangeARunningCall",
	}},
	{reason: "on the far side nobody knows what allowed the call", tests: []string{"TestACallKnowsItsDecision"}},
	{reason: "the far side gets the input that was decided, and not what the model sent before", tests: []string{"TestSent"}},
	{reason: "what a call says or decides in its midst on the far side is no event of the near side", tests: []string{
		"TestCheckEmitsEvents",
		"TestProgressOfARebuiltCall",
		"TestProgressFloodedTheHost",
		"TestProgressIsAtMostTenInASecond",
		"TestHeldProgressIsShownWhenTheToolSaysNoMore",
		"TestDataComesWithItsText",
		"TestEventsTellTheWholeStory",
		"TestListenerThatEndsItsGoroutine/progress",
	}},
	{reason: "on the far side no executor is at hand for the calls that a call makes", tests: []string{
		"TestCallRun",
		"TestIdentityTellsCallsApart",
		"TestEventsCarryTheContextOfTheBatch",
		"TestTurnOfACall",
		"TestCodeGetsValues",
		"TestCallsInsideACallAreNoLoop",
		"TestForcedAllowIsForTheMainAgentsModel",
		"TestGuardOfCallsInsideACall",
		"TestCallKnowsTheMessageThatAsked",
		"TestOuterCallIsKnownInEachStage",
		"TestResolveReachesWhatREPLHides",
		"TestStopTurnInsideACallStopsTheMessage",
		"TestQuestionsThatCannotBePutOff",
		"TestSameCallsOfAScript",
		"TestSayInsideACall",
		"TestACallInsideACallEndsTheTurn",
		"TestGroupInsideACall",
		"TestGroupsThatWaitForEachOther",
		"TestGroupsOfACrowd",
		"TestBudgetOfCalls/calls_of_a_script_count",
		"TestBudgetOfCalls/a_script_counts,_too",
		"TestBudgetOfTimeIsOfTools/calls_inside",
		"TestBudgetOfTimeStopsCallsInside",
		"TestBudgetOfTimeOutlastsTheCallAround",
		"TestBudgetWarningsOfAMessage/what_a_script_spends",
	}},
}

// aboutSource matches the tests that read the module and make no call. The file .ci/run leaves
// them out where it repeats tests.
const aboutSource = "^Test(Structure|Docs|Readme|EveryEntryPoint|EntryPointsOf|ExecutorsCome|TestsAre|ParseModule)"

// farEffort is the effort, in percent, of tests that run again with calls sent away.
const farEffort = 10

// TestSuiteThroughFarInvoke runs all tests of this package again that make calls, with every
// call sent away. Those of nearOnly must fail then, or they need not be listed. It takes as long
// as all others together, so that only full effort runs it.
func TestSuiteThroughFarInvoke(t *testing.T) {
	t.Parallel()
	if *sendFar {
		t.Skip("this is the run that it starts")
	}
	if !effort.Full(t) {
		t.Skip("with less than full effort the tests run once")
	}
	var here []string
	for _, group := range nearOnly {
		here = append(here, group.tests...)
	}
	t.Run("all others pass", func(t *testing.T) {
		t.Parallel()
		listed, err := testBinary(t, "-test.list=^(Test|Fuzz)").Output()
		require.NoError(t, err)
		var want []string
		source := regexp.MustCompile(aboutSource)
		for name := range strings.Lines(string(listed)) {
			if name = strings.TrimSpace(name); !slices.Contains(here, name) && !source.MatchString(name) {
				want = append(want, name)
			}
		}
		verdicts, report, err := runFar(t, "-test.run=^(Test|Fuzz)", "-test.skip="+pattern(here)+"|"+aboutSource)
		require.NoError(t, err, "see one with go test -run NAME . -invoke.far\n%s", report)
		require.Subset(t, slices.Collect(maps.Keys(verdicts)), want)
	})
	t.Run("those of nearOnly fail", func(t *testing.T) {
		t.Parallel()
		verdicts, _, err := runFar(t, "-test.run="+pattern(here))
		require.Error(t, err)
		for _, group := range nearOnly {
			for _, name := range group.tests {
				require.Equal(t, "FAIL", verdicts[name], "take %s off the list, of which it says: %s", name, group.reason)
			}
		}
	})
}

var (
	verdictLine = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+) `)
	goodNews    = regexp.MustCompile(`(?m)^(=== | *--- (PASS|SKIP): ).*\n`)
)

// runFar runs tests of this binary through farInvoke. It returns the verdict on each, by
// name, and the rest of the output without the lines of passing tests.
func runFar(t *testing.T, args ...string) (verdicts map[string]string, report string, err error) {
	t.Helper()
	args = append(args, "-test.v", "-invoke.far")
	if deadline, ok := t.Deadline(); ok {
		args = append(args, "-test.timeout="+time.Until(deadline).String())
	}
	again := testBinary(t, args...)
	again.Env = append(os.Environ(), fmt.Sprintf("%s=%d", effort.Variable, farEffort))
	output, err := again.CombinedOutput()
	verdicts = map[string]string{}
	for _, m := range verdictLine.FindAllStringSubmatch(string(output), -1) {
		verdicts[m[2]] = m[1]
	}
	return verdicts, goodNews.ReplaceAllString(string(output), ""), err
}

func testBinary(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	return exec.CommandContext(t.Context(), binary, args...)
}

// pattern returns what -test.run takes for exactly these tests.
func pattern(tests []string) string {
	var exact []string
	for _, name := range tests {
		exact = append(exact, "^"+strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^")+"$")
	}
	return strings.Join(exact, "|")
}

// TestExecutorsComeFromTheHelper: one that a test makes itself would not be sent
// through farInvoke.
func TestExecutorsComeFromTheHelper(t *testing.T) {
	t.Parallel()
	made := regexp.MustCompile(`\w*\(?(pegboard\.Executor\{|new\(pegboard\.Executor|var \w+ pegboard\.Executor)`)
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if strings.HasPrefix(file, "example_") || strings.HasSuffix(file, "_bench_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, how := range made.FindAllString(string(source), -1) {
			require.Equal(t, "executor(pegboard.Executor{", how, file)
		}
	}
}
