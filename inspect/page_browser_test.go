package inspect_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/internal/browser"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A scene is a page over real tools, served over HTTP.
type scene struct {
	*bench
	address string
}

// newScene returns a page over a small tree in an empty folder.
func newScene(t *testing.T, dir string) *scene {
	t.Helper()
	for name, text := range map[string]string{
		"go.mod": "module example.com/shop\n\ngo 1.26\n", "README.md": "# Shop\n\nSells things.\n", ".env": "KEY=1\n",
		"cart.go": "package shop\n\n// Total is the sum of the prices.\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, p := range prices {\n\t\tsum += p\n\t}\n\treturn sum\n}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	set := pegboard.RuleSet{Source: pegboard.SourceProject, Allow: []string{"Bash(seq *)"}, Ask: []string{"Bash(git push *)"}, Deny: []string{"Read(**/.env)", "Bash(rm *)"}}
	b := newBench(t, pegboard.SessionConfig{Dir: dir, Permissions: permissions(t, set), Ask: pegboard.AskLater}, func(o *inspect.Options) {
		o.Sections = []inspect.Section{{Title: "Servers", Rows: func() ([]string, [][]string) {
			return []string{"name", "state"}, [][]string{{"weather", "connected"}, {"a-server-with-a-name-that-is-very-long-" + strings.Repeat("x", 80), "gone"}}
		}}}
	}, append(files.Tools(), shell.Bash(shell.Options{}), pegboard.ToolSearch(pegboard.SearchOptions{}))...)
	_, err := b.registry.Attach("forge",
		tooltest.FakeConfig{Name: "create_issue", Title: "New issue", Description: "Opens an issue in a tracker.", InputSchema: `{"type":"object","properties":{"title":{"type":"string"}}}`}.New(),
		tooltest.FakeConfig{Name: "list_branches", Description: "Lists branches."}.New(),
		pegboard.InvalidTool("broken", errors.New("its schema is no schema")))
	require.NoError(t, err)
	server := httptest.NewServer(b.page)
	t.Cleanup(server.Close)
	return &scene{bench: b, address: server.URL}
}

// open logs a browser in.
func (s *scene) open(t *testing.T, b *browser.Browser, o browser.Options) *browser.Page {
	t.Helper()
	p := b.Open(t, o)
	p.Go(s.address + "/?token=" + token)
	require.Equal(t, "Questions", p.Text("h1"))
	return p
}

const edit = `{"file_path":"cart.go","old_string":"sum := 0","new_string":"sum := 0 // in cents"}`

// play runs two messages of calls that end and one of another agent, and leaves an edit that
// asks and a read that waits for it.
func (s *scene) play(t *testing.T) (ended <-chan []pegboard.Outcome) {
	t.Helper()
	s.run(t, call("1", "Read", `{"file_path":"README.md"}`), call("2", "Read", `{"file_path":"cart.go"}`), call("3", "Glob", `{"pattern":"*.go"}`), call("4", "Read", `{"file_path":".env"}`))
	s.run(t, call("5", "Bash", `{"command":"seq 1 30000","description":"Print more than fits"}`), call("6", "Globb", `{"pattern":"*"}`), call("7", "Bash", `{"command":"rm -r src"}`))
	scout, err := s.session.Fork(pegboard.SessionConfig{AgentID: "scout"})
	require.NoError(t, err)
	s.executor.Run(t.Context(), s.registry.AssemblePool(scout, pegboard.PoolConfig{}), call("1", "Glob", `{"pattern":"*.md"}`))
	return s.asked(t, 1, call("8", "Edit", edit), call("9", "Read", `{"file_path":"cart.go"}`), call("10", "Grep", `{"pattern":"Sells"}`))
}

// pages returns the addresses of the sections and of one page of each kind that they link to.
func (s *scene) pages(t *testing.T, p *browser.Page) []string {
	t.Helper()
	var all []string
	p.Eval(`[...document.querySelectorAll("nav a")].map(a => a.href)`, &all)
	require.GreaterOrEqual(t, len(all), 8)
	kinds := map[string]bool{}
	for _, address := range all {
		kinds[address] = true
	}
	for _, section := range all {
		p.Go(section)
		var links []string
		p.Eval(`[...document.querySelectorAll("main a[href]")].map(a => a.href)`, &links)
		for _, link := range links {
			if kind, _, _ := strings.Cut(link, "?"); !kinds[kind] {
				kinds[kind], all = true, append(all, link)
			}
		}
	}
	for _, path := range []string{"/call?n=9", "/call?n=4", "/pools?name=broken", "/search?q=issue", missing, decided} {
		all = append(all, s.address+path)
	}
	return all
}

const (
	missing = "/call?n=999"  // says that there is no such call
	decided = "/try#decided" // stands for the page that answers the form of the section Try
)

// visit opens a page, which has no fault that a browser tells of.
func (s *scene) visit(t *testing.T, p *browser.Page, address string) {
	t.Helper()
	p.Go(address)
	problems := p.Problems()
	if strings.HasSuffix(address, missing) {
		require.Len(t, problems, 1)
		require.Contains(t, problems[0], "404")
		require.Contains(t, p.Text("main"), "There is no")
		return
	}
	require.Empty(t, problems, address)
	if strings.HasSuffix(address, decided) {
		p.Click("#tool")
		p.Type("Edit")
		p.Eval(`document.getElementById("input").value = "", 0`, nil)
		p.Click("#input")
		p.Type(edit)
		p.Follow(func() { p.Click(".try button") })
	}
}

// TestPageInABrowserAnswers: a question appears by itself, and its buttons answer it.
func TestPageInABrowserAnswers(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	write := call("1", "Write", `{"file_path":"note.md","content":"one\n"}`)
	stays := func(p *browser.Page) { p.Eval(`window.stays = true; 0`, nil) }

	t.Run("deny", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, t.TempDir())
		p, timeline := s.open(t, b, browser.Options{}), s.open(t, b, browser.Options{})
		timeline.Go(s.address + "/timeline")
		stays(p)
		stays(timeline)
		ended := s.asked(t, 1, write)
		p.AwaitText("Write note.md")
		p.Await(`window.stays && document.title.startsWith("(1)")`)
		require.Contains(t, p.Text(".question"), "+one", "what would change")
		timeline.AwaitText("asked")
		p.Click(`.question input[name=reason]`)
		p.Type("not today")
		p.Follow(func() { p.Click(`button[value=deny]`) })
		out := (<-ended)[0]
		require.ErrorIs(t, out.Err, pegboard.ErrDenied)
		require.Contains(t, out.Result.Text(), "not today")
		p.AwaitText("No question is open.")
		timeline.Await(`window.stays && document.querySelector(".call.failed")`)
		require.Empty(t, append(p.Problems(), timeline.Problems()...))
	})
	t.Run("answered elsewhere", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, t.TempDir())
		p := s.open(t, b, browser.Options{})
		stays(p)
		ended := s.asked(t, 1, write)
		p.AwaitText("Write note.md")
		require.NoError(t, s.session.Questions()[0].Answer(pegboard.Decision{Behavior: pegboard.Allow}))
		require.NoError(t, (<-ended)[0].Err)
		p.AwaitText("No question is open.")
		p.Await(`window.stays`)
		require.Empty(t, p.Problems())
	})
	t.Run("always", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, t.TempDir())
		ended := s.asked(t, 1, call("1", "Bash", `{"command":"go vet ./..."}`))
		p := s.open(t, b, browser.Options{})
		require.Contains(t, p.Text(`button[value^=remember]`), "Bash(go vet ./...)")
		p.Follow(func() { p.Click(`button[value^=remember]`) })
		out := (<-ended)[0]
		require.Equal(t, pegboard.Allow, out.Decision.Behavior)
		var rules []string
		for r := range s.session.Permissions().AllRules() {
			if r.Source == pegboard.SourceSession {
				rules = append(rules, r.String())
			}
		}
		require.Equal(t, []string{"Bash(go vet ./...)"}, rules)
		require.Empty(t, p.Problems())
	})
	t.Run("without script", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, t.TempDir())
		p := s.open(t, b, browser.Options{NoScript: true})
		ended := s.asked(t, 1, write)
		require.NotContains(t, p.Text("main"), "note.md")
		p.Follow(func() { p.Click(`noscript a`) })
		require.Contains(t, p.Text("main"), "Write note.md")
		p.Follow(func() { p.Click(`button[value=once]`) })
		require.NoError(t, (<-ended)[0].Err)
		require.Contains(t, p.Text("main"), "No question is open.")
		p.Go(s.address + "/timeline")
		require.Contains(t, p.Text(".call"), "Write note.md done")
		require.Empty(t, p.Problems())
	})
	t.Run("with the keyboard alone", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, t.TempDir())
		ended := s.asked(t, 1, write)
		p := s.open(t, b, browser.Options{})
		for range 50 {
			var there bool
			if p.Eval(`document.activeElement.name == "reason"`, &there); there {
				break
			}
			p.Press("Tab")
		}
		p.Type("by keys")
		p.Press("Tab")
		p.Follow(func() { p.Press("Enter") })
		require.Contains(t, (<-ended)[0].Result.Text(), "by keys")
	})
}

// TestPageInABrowserDrawsCalls: a bar for each call, in request order, also of those that
// come while the page is open.
func TestPageInABrowserDrawsCalls(t *testing.T) {
	t.Parallel()
	s := newScene(t, t.TempDir())
	p := s.open(t, browser.Start(t), browser.Options{})
	p.Go(s.address + "/timeline")
	ended := s.play(t)
	p.Await(`document.querySelectorAll(".call").length == 11`)
	p.Await(`document.querySelector(".call.asked") && document.querySelector(".bar .waiting")`)
	type bar struct {
		Call  string
		Parts int
		Wide  bool
	}
	var bars []bar
	read := func() {
		p.Eval(`[...document.querySelectorAll(".call")].map(c => ({
			call: c.querySelector("b").innerText,
			parts: c.querySelectorAll("svg.bar rect").length,
			wide: c.querySelector("svg.bar").getBoundingClientRect().width > 500,
		}))`, &bars)
	}
	read()
	var calls []string
	for _, b := range bars {
		calls = append(calls, b.Call)
		require.Positive(t, b.Parts, b.Call)
		require.True(t, b.Wide, b.Call)
	}
	require.Equal(t, []string{
		"Edit cart.go", "Read cart.go", "Search for Sells", // the newest message comes first
		"Find *.md", // of another agent
		"Run seq 1 30000", "Globb", "Run rm -r src",
		"Read README.md", "Read cart.go", "Find *.go", "Read .env",
	}, calls)
	time.Sleep(1100 * time.Millisecond) // of real time, in which nothing happens
	p.Reload()
	require.Regexp(t, `bars of [1-9]\d* s`, p.Text(".batch h2"), "as long as the question is open")
	answers(t, s.bench)
	<-ended
	p.Await(`!document.querySelector(".call.open, .call.asked")`)
	read()
	require.Len(t, bars, 11)
	require.Empty(t, p.Problems())
}

// TestPageInABrowserFits: at two widths nothing reaches over the edge.
func TestPageInABrowserFits(t *testing.T) {
	t.Parallel()
	s, b := newScene(t, t.TempDir()), browser.Start(t)
	ended := s.play(t)
	for _, width := range []int{400, 1600} {
		p := s.open(t, b, browser.Options{Width: width, Height: 900})
		for _, address := range effort.Sample(t, s.pages(t, p)) {
			s.visit(t, p, address)
			require.Empty(t, p.Overflowing(), "%s at %d pixels", address, width)
		}
		require.Empty(t, p.Problems())
	}
	answers(t, s.bench)
	<-ended
}

// TestPageInABrowserIsForAll: keys reach each control, the focus can be seen, and axe-core
// finds nothing, in light and in dark colours.
func TestPageInABrowserIsForAll(t *testing.T) {
	t.Parallel()
	s, b := newScene(t, t.TempDir()), browser.Start(t)
	ended := s.play(t)
	t.Cleanup(func() {
		answers(t, s.bench)
		<-ended
	})
	p := s.open(t, b, browser.Options{})
	for _, address := range effort.Sample(t, s.pages(t, p)) {
		s.visit(t, p, address)
		require.Empty(t, p.Unreached(), address)
		require.Empty(t, p.InvisibleFocus(), address)
	}
	require.Empty(t, p.Problems())
	for _, dark := range []bool{false, true} {
		t.Run(fmt.Sprintf("axe-core, dark %v", dark), func(t *testing.T) {
			t.Parallel()
			axe := reference.Source(t, reference.Axe)
			var only []string
			if dark { // the rest is the same
				only = []string{"color-contrast"}
			}
			p := s.open(t, b, browser.Options{Dark: dark})
			for _, address := range effort.Sample(t, s.pages(t, p)) {
				s.visit(t, p, address)
				require.Empty(t, p.Violations(axe, only...), address)
			}
		})
	}
}
