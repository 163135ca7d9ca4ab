package inspect_test

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/internal/browser"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestNewRefusesWrongOptions(t *testing.T) {
	t.Parallel()
	var registry pegboard.Registry
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close(t.Context())) })
	table := func() ([]string, [][]string) { return nil, nil }
	tests := []struct {
		name    string
		options inspect.Options
		want    string // empty: no error
	}{
		{name: "nothing", want: "the Registry is missing"},
		{name: "no session", options: inspect.Options{Registry: &registry}, want: "the Session is missing"},
		{name: "the least", options: inspect.Options{Registry: &registry, Session: session}},
		{name: "answers without a token", options: inspect.Options{Registry: &registry, Session: session, Answers: true}, want: "questions cannot be answered"},
		{name: "contents without a token", options: inspect.Options{Registry: &registry, Session: session, Contents: true}, want: "contents cannot be shown"},
		{name: "a short token", options: inspect.Options{Registry: &registry, Session: session, Token: strings.Repeat("a", 21)}, want: "the Token has 21 bytes"},
		{name: "a short token that nothing needs", options: inspect.Options{Registry: &registry, Session: session, Token: "1234"}, want: "the Token has 4 bytes"},
		{name: "a token as it should be", options: inspect.Options{Registry: &registry, Session: session, Token: rand.Text(), Answers: true, Contents: true}},
		{name: "a negative number of calls", options: inspect.Options{Registry: &registry, Session: session, Keep: -1}, want: "Keep is -1"},
		{name: "a section without rows", options: inspect.Options{Registry: &registry, Session: session, Sections: []inspect.Section{{Title: "Jobs"}}}, want: `section 1 ("Jobs") has no Rows`},
		{name: "a section", options: inspect.Options{Registry: &registry, Session: session, Sections: []inspect.Section{{Title: "Jobs", Rows: table}}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			page, err := inspect.New(tc.options)
			if tc.want != "" {
				require.ErrorContains(t, err, tc.want)
				require.Nil(t, page)
				return
			}
			require.NoError(t, err)
			require.NotNil(t, page)
		})
	}
}

func TestZeroPageIsHarmless(t *testing.T) {
	t.Parallel()
	for _, p := range []*inspect.Page{nil, {}} {
		p.Record(pegboard.Event{})
		w := httptest.NewRecorder()
		p.ServeHTTP(w, request(http.MethodGet, "/", nil))
		require.Equal(t, http.StatusNotFound, w.Code)
	}
}

// TestPageIsMountedAnywhere follows the links and redirects of a page as a browser does: at the
// root, below a prefix, and behind a proxy that strips one.
func TestPageIsMountedAnywhere(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, start string
		mount       func(page http.Handler) http.Handler
	}{
		{name: "at the root", start: "/", mount: func(page http.Handler) http.Handler { return page }},
		{name: "below a prefix", start: "/debug/pegboard/", mount: func(page http.Handler) http.Handler {
			var mux http.ServeMux
			mux.Handle("/debug/pegboard/", http.StripPrefix("/debug/pegboard", page))
			return &mux
		}},
		{name: "below a prefix without the slash", start: "/debug/pegboard", mount: func(page http.Handler) http.Handler {
			return http.StripPrefix("/debug/pegboard", page)
		}},
		{name: "the slash is stripped, too", start: "/debug/pegboard/", mount: func(page http.Handler) http.Handler {
			return http.StripPrefix("/debug/pegboard/", page)
		}},
		{name: "behind a proxy that strips a prefix", start: "/tools/", mount: func(page http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				inner, ok := strings.CutPrefix(r.URL.Path, "/tools")
				if !ok {
					http.NotFound(w, r)
					return
				}
				r = r.Clone(r.Context())
				r.URL.Path, r.RequestURI = inner, inner // as a server behind it would see them
				if r.URL.RawQuery != "" {
					r.RequestURI += "?" + r.URL.RawQuery
				}
				page.ServeHTTP(w, r)
			})
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, pegboard.SessionConfig{}, nil)
			b.cookies = map[string]string{}
			b.mounted = tc.mount(b.page)
			at, err := url.Parse("http://localhost:6060" + tc.start)
			require.NoError(t, err)
			visit := func(ref, method string, want int) string {
				for range 5 {
					next, err := at.Parse(ref)
					require.NoError(t, err)
					w := b.do(t, request(method, next.RequestURI(), nil))
					if w.Code != http.StatusSeeOther {
						require.Equal(t, want, w.Code, "%s", next)
						if method == http.MethodGet && strings.Contains(w.Body.String(), "<h1>") {
							at = next
						}
						return w.Body.String()
					}
					ref, method = w.Header().Get("Location"), http.MethodGet
					require.True(t, strings.HasPrefix(ref, "./"), ref)
					at = next
				}
				require.Fail(t, "it redirects for ever")
				return ""
			}
			visit("?token="+token, http.MethodGet, http.StatusOK)
			require.Equal(t, strings.TrimSuffix(tc.start, "/")+"/", at.Path)
			require.Empty(t, at.RawQuery)
			for _, ref := range references(t, visit("", http.MethodGet, http.StatusOK)) {
				require.NotContains(t, ref, "//")
				require.False(t, strings.HasPrefix(ref, "/"), ref)
				visit(ref, http.MethodGet, http.StatusOK)
			}
			visit("timeline?agent=0", http.MethodGet, http.StatusOK)
			visit("logout", http.MethodPost, http.StatusOK)
			visit("./", http.MethodGet, http.StatusUnauthorized)
		})
	}
}

func TestRequestsThatArePointless(t *testing.T) { //nolint:tparallel // the cases share one page
	t.Parallel()
	tests := []struct {
		name, method, path string
		want               int
	}{
		{name: "a path that is none", method: http.MethodGet, path: "/nothing", want: http.StatusNotFound},
		{name: "a path below a section", method: http.MethodGet, path: "/timeline/1", want: http.StatusNotFound},
		{name: "answering by GET", method: http.MethodGet, path: "/answer?id=1&answer=once", want: http.StatusMethodNotAllowed},
		{name: "logging out by GET", method: http.MethodGet, path: "/logout", want: http.StatusMethodNotAllowed},
		{name: "posting to a section", method: http.MethodPost, path: "/timeline", want: http.StatusMethodNotAllowed},
		{name: "an agent that is none", method: http.MethodGet, path: "/timeline?agent=x", want: http.StatusNotFound},
		{name: "rows of an agent that is none", method: http.MethodGet, path: "/rows?agent=-1", want: http.StatusNotFound},
		{name: "rows that are none", method: http.MethodGet, path: "/rows?calls=7,x,-1,99999999999999999999", want: http.StatusOK},
		{name: "a page that is none", method: http.MethodGet, path: "/timeline?page=99999", want: http.StatusOK},
		{name: "a page that is no number", method: http.MethodGet, path: "/timeline?page=x", want: http.StatusOK},
		{name: "only the headers", method: http.MethodHead, path: "/timeline", want: http.StatusOK},
	}
	b := newBench(t, pegboard.SessionConfig{}, nil)
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, b.do(t, request(tc.method, tc.path, nil)).Code)
		})
	}
}

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
	set := policy.RuleSet{Source: policy.SourceProject, Allow: []string{"Bash(seq *)"}, Ask: []string{"Bash(git push *)"}, Deny: []string{"Read(**/.env)", "Bash(rm *)"}}
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
		require.NoError(t, s.session.Questions()[0].Answer(policy.Decision{Behavior: policy.Allow}))
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
		require.Equal(t, policy.Allow, out.Decision.Behavior)
		var rules []string
		for r := range s.session.Permissions().AllRules() {
			if r.Source == policy.SourceSession {
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
	s.denies(t, ended)
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
	s.denies(t, ended)
}

// TestPageInABrowserIsForAll: keys reach each control, the focus can be seen, and axe-core
// finds nothing, in light and in dark colours.
func TestPageInABrowserIsForAll(t *testing.T) {
	t.Parallel()
	s, b := newScene(t, t.TempDir()), browser.Start(t)
	ended := s.play(t)
	t.Cleanup(func() { s.denies(t, ended) })
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

// screenshots are the pictures of docs/inspector.md: a file, and the path of the page.
var screenshots = []struct{ file, path string }{
	{"questions", "/"},
	{"timeline", "/timeline"},
	{"call", "/call?n=4"},
	{"pools", "/pools?name=mcp__forge__broken"},
	{"rules", "/rules"},
}

// TestScreenshots makes the pictures of docs/inspector.md. With PEGBOARD_UPDATE=1 it writes
// them.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	const width, height = 1000, 720
	dir := t.TempDir()
	if os.Getenv("PEGBOARD_UPDATE") != "" { // the path can be read in the pictures
		dir = filepath.Join(os.TempDir(), "shop")
		require.NoError(t, os.Mkdir(dir, 0o700))
		t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	}
	s := newScene(t, dir)
	b := browser.Start(t)
	ended := s.play(t)
	p := s.open(t, b, browser.Options{Width: width, Height: height})
	document, err := os.ReadFile(filepath.Join("..", "docs", "inspector.md"))
	require.NoError(t, err)
	for _, shot := range screenshots {
		p.Go(s.address + shot.path)
		picture, err := png.Decode(bytes.NewReader(p.Screenshot()))
		require.NoError(t, err)
		var small bytes.Buffer
		require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, withPalette(picture)))
		require.Less(t, small.Len(), 80_000, shot.file)
		name := filepath.Join("inspector", shot.file+".png")
		if os.Getenv("PEGBOARD_UPDATE") != "" {
			require.NoError(t, os.WriteFile(filepath.Join("..", "docs", name), small.Bytes(), 0o644)) //nolint:gosec // a document
		}
		require.Contains(t, string(document), "("+filepath.ToSlash(name)+")", "the page shows each picture")
		committed, err := os.ReadFile(filepath.Join("..", "docs", name))
		require.NoError(t, err)
		config, err := png.DecodeConfig(bytes.NewReader(committed))
		require.NoError(t, err)
		require.Equal(t, []int{width, height}, []int{config.Width, config.Height}, "made by this test: %s", name)
	}
	s.denies(t, ended)
}

// withPalette returns a picture with the 256 colours that are most frequent, which makes a
// small file. The others, at the edges of letters, become the nearest of them.
func withPalette(picture image.Image) image.Image {
	bounds := picture.Bounds()
	count := map[color.Color]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[picture.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return cmp.Compare(count[b], count[a]) })
	small := image.NewPaletted(bounds, colours[:min(len(colours), 256)])
	draw.Draw(small, bounds, picture, bounds.Min, draw.Src)
	return small
}
