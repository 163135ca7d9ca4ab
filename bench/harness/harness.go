// Package harness is the dependency-free core of the peer benchmark: the tool
// everyone implements, the shape of one case, and the benchmark loops.
package harness

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Input is the typed 3-field input of every tool in this benchmark. It has
// json tags only, so that every library infers its schema in its own way.
type Input struct {
	Path      string `json:"path"`
	Limit     int    `json:"limit"`
	Recursive bool   `json:"recursive"`
}

// Args is an Input as a model would send it.
const Args = `{"path":"/var/log/syslog","limit":200,"recursive":true}`

// logs is how many inputs ArgsAt has. Two that take turns would look like a loop.
const logs = 8

// ArgsAt returns the arguments of call i, as a model would send them. Successive calls
// differ, as a library may take the same call again and again for a loop.
func ArgsAt(i int) string {
	return fmt.Sprintf(`{"path":"/var/log/syslog.%d","limit":200,"recursive":true}`, i%logs)
}

// Schema is the JSON schema of Input, for libraries and floors that take one.
const Schema = `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"},"recursive":{"type":"boolean"}},"required":["path","limit","recursive"],"additionalProperties":false}`

// Sleep is how long the batch tool takes.
const Sleep = time.Millisecond

var runs, full atomic.Int64

// NoOp is the body of the no-op tool: it proves that the decoded input came
// through and costs two atomic adds.
func NoOp(in Input) string {
	runs.Add(1)
	if in.Limit == 200 && in.Recursive && in.Path != "" {
		full.Add(1)
	}
	return "ok"
}

// Runs is how many times NoOp ran; Full, how often with the whole of Args.
func Runs() int64 { return runs.Load() }
func Full() int64 { return full.Load() }

// Gauge measures the highest number of tools that ran at the same time.
type Gauge struct{ cur, max, total atomic.Int64 }

// SleepTool is the body of the batch tool.
func (g *Gauge) SleepTool(Input) string {
	n := g.cur.Add(1)
	for {
		m := g.max.Load()
		if n <= m || g.max.CompareAndSwap(m, n) {
			break
		}
	}
	time.Sleep(Sleep)
	g.cur.Add(-1)
	g.total.Add(1)
	return "ok"
}

// Max is the peak concurrency so far; Total the number of finished calls.
func (g *Gauge) Max() int64   { return g.max.Load() }
func (g *Gauge) Total() int64 { return g.total.Load() }

// Call dispatches one tool call with JSON arguments and returns the result
// text. A failure that the library reports to the model as an error result is
// returned as *ToolError; any other error means the whole dispatch failed.
type Call func(ctx context.Context, tool string, args []byte) (string, error)

// ToolError is an error result meant for the model.
type ToolError struct{ Text string }

func (e *ToolError) Error() string { return "tool error result: " + e.Text }

// Case is one library (or one floor). Nil fields are skipped.
type Case struct {
	// Name is the last element of the benchmark's name, with no spaces.
	Name string
	// Validates names the checks before the handler runs.
	Validates string
	// Path names the work on the measured path besides decode and call.
	Path string
	// Lacks names the work on pegboard's path that this one does not do. Only floors
	// and pegboard's own cases leave it empty.
	Lacks string

	// NewOne prepares dispatch of tool "noop" (body: NoOp). The other names
	// used by the behaviour test are "boom" (panics), "fail" (returns an
	// error) and "echo" (returns the path it was given).
	NewOne func(tb testing.TB) Call
	// NewBatch prepares a run of n calls of a tool whose body is
	// g.SleepTool; each call of run dispatches all n once and returns the
	// results in the order the library gives them.
	NewBatch func(tb testing.TB, n int, g *Gauge) (run func(ctx context.Context) error)
	// NewExport prepares encoding n tool definitions to the JSON that goes
	// to a model provider (or an MCP client); it returns the byte count.
	NewExport func(tb testing.TB, n int) (export func(ctx context.Context) (int, error))
	// NewOrder prepares a run of len(delays) calls where call i sleeps
	// delays[i] and returns fmt.Sprint(i); it returns the results in the
	// order the library puts them in the next model message.
	NewOrder func(tb testing.TB, delays []time.Duration) (run func(ctx context.Context) ([]string, error))
}

// Bench runs every benchmark of every case.
func Bench(b *testing.B, cases []Case) {
	for _, c := range cases {
		if c.NewOne == nil {
			continue
		}
		b.Run("One/"+c.Name, func(b *testing.B) { benchOne(b, c) })
	}
	for _, n := range []int{16, 128} {
		for _, c := range cases {
			if c.NewBatch == nil {
				continue
			}
			b.Run(fmt.Sprintf("Batch%d/%s", n, c.Name), func(b *testing.B) { benchBatch(b, c, n) })
		}
	}
	for _, c := range cases {
		if c.NewExport == nil {
			continue
		}
		b.Run("Export100/"+c.Name, func(b *testing.B) { benchExport(b, c, 100) })
	}
}

func benchOne(b *testing.B, c Case) {
	call := c.NewOne(b)
	var inputs [logs][]byte
	for i := range inputs {
		inputs[i] = []byte(ArgsAt(i))
	}
	ctx := context.Background()
	before := Full()
	if _, err := call(ctx, "noop", []byte(Args)); err != nil {
		b.Fatal(err)
	}
	if Full() != before+1 {
		b.Fatal("the tool did not see the decoded input")
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := call(ctx, "noop", inputs[i%logs]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func benchBatch(b *testing.B, c Case, n int) {
	var g Gauge
	run := c.NewBatch(b, n, &g)
	ctx := context.Background()
	if err := run(ctx); err != nil {
		b.Fatal(err)
	}
	if g.Total() != int64(n) {
		b.Fatalf("ran %d tools, want %d", g.Total(), n)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := run(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(g.Max()), "maxpar")
}

func benchExport(b *testing.B, c Case, n int) {
	export := c.NewExport(b, n)
	ctx := context.Background()
	size, err := export(ctx)
	if err != nil {
		b.Fatal(err)
	}
	if size < n*50 {
		b.Fatalf("encoded %d bytes for %d tools", size, n)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := export(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size), "encodedB")
}

// Behaviour logs, for each case that is not a floor, how it treats bad input, an unknown tool and
// a failing tool, and how it orders results. It never fails: it is a record.
// Panics are left to [Panic] because an unrecovered panic in a library's
// goroutine ends the process.
func Behaviour(t *testing.T, cases []Case) {
	probes := []struct{ what, tool, args string }{
		{"valid", "noop", Args},
		{"missing required", "noop", `{"path":"/x","limit":200}`},
		{"wrong type", "noop", `{"path":"/x","limit":"200","recursive":true}`},
		{"extra property", "noop", `{"path":"/x","limit":200,"recursive":true,"zzz":1}`},
		{"wrong case key", "noop", `{"PATH":"/x","limit":200,"recursive":true}`},
		{"malformed JSON", "noop", `{"path":"/x",`},
		{"unknown tool", "nosuch", Args},
		{"failing tool", "fail", Args},
		{"key twice, 2 cases", "echo", `{"path":"/safe","PATH":"/etc/shadow","limit":200,"recursive":true}`},
		{"key twice", "echo", `{"path":"/safe","path":"/etc/shadow","limit":200,"recursive":true}`},
	}
	for _, c := range cases {
		if strings.HasPrefix(c.Name, "floor-") || strings.HasSuffix(c.Name, "-baseline") || (c.NewOne == nil && c.NewOrder == nil) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if c.NewOne != nil {
				call := c.NewOne(t)
				for _, p := range probes {
					r, f := Runs(), Full()
					out, err := call(context.Background(), p.tool, []byte(p.args))
					ran := "not run"
					if Full() != f {
						ran = "run"
					} else if Runs() != r {
						ran = "RUN ON ZERO VALUES"
					} else if p.tool == "echo" && err == nil {
						ran = "tool saw"
					}
					t.Logf("%-18s %-18s %s", p.what, ran, outcome(out, err))
				}
			}
			if c.NewOrder != nil {
				delays := []time.Duration{40, 10, 30, 0, 20}
				for i := range delays {
					delays[i] *= time.Millisecond
				}
				run := c.NewOrder(t, delays)
				start := time.Now()
				got, err := run(context.Background())
				t.Logf("%-18s %v err=%v in %v", "result order", got, err, time.Since(start).Round(time.Millisecond))
			}
		})
	}
}

func outcome(out string, err error) string {
	const max = 150
	s := "result " + fmt.Sprintf("%q", out)
	if te, ok := err.(*ToolError); ok {
		s = "MODEL SEES ERROR " + fmt.Sprintf("%q", te.Text)
	} else if err != nil {
		s = "DISPATCH FAILS " + fmt.Sprintf("%q", err.Error())
	}
	if len(s) > max {
		s = s[:max] + "..."
	}
	return s
}

// Panic runs one call of "boom" in the case called name and logs its result, or
// the panic that reaches the caller. Run it in a process of its own: a case that
// does not recover may end the process. Without a name it skips the test.
func Panic(t *testing.T, cases []Case, name string) {
	i := slices.IndexFunc(cases, func(c Case) bool { return c.Name == name && c.NewOne != nil })
	switch {
	case name == "":
		t.Skip("set PEER to the name of a case")
	case i < 0:
		t.Fatalf("no case %q has a tool that panics", name)
	}
	defer func() {
		if r := recover(); r != nil {
			t.Logf("PANIC REACHES THE CALLER: %v", r)
		}
	}()
	out, err := cases[i].NewOne(t)(context.Background(), "boom", []byte(Args))
	t.Logf("recovered: %s", outcome(out, err))
}

// FanOut runs fn n times at once, each on its own goroutine, and returns the
// error of the lowest i. It is the code that a caller of a one-call API (such as
// an MCP client) writes.
func FanOut(n int, fn func(i int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = fn(i) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Describe logs the notes of the cases by name. It fails if one has none, or if
// two have the same name and their measurements would be one.
func Describe(t *testing.T, cases []Case) {
	cases = slices.SortedFunc(slices.Values(cases), func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	for i, c := range cases {
		if c.Name == "" || strings.ContainsAny(c.Name, " /") || c.Validates == "" || c.Path == "" {
			t.Errorf("case %q: the name or a note is missing or wrong", c.Name)
		}
		if i > 0 && cases[i-1].Name == c.Name {
			t.Errorf("two cases are called %q", c.Name)
		}
		if c.Lacks == "" && !strings.HasPrefix(c.Name, "floor-") && !strings.HasPrefix(c.Name, "pegboard") {
			t.Errorf("case %q: it does not say what it lacks beside pegboard", c.Name)
		}
		t.Logf("%-28s validates: %-45s lacks: %-30s path: %s", c.Name, c.Validates, cmp.Or(c.Lacks, "-"), c.Path)
	}
}
