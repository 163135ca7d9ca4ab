package inspect_test

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// token is long enough.
const token = "a-token-of-a-test-0123456789"

// A bench is a page, what it looks at, and a browser.
type bench struct {
	registry *pegboard.Registry
	session  *pegboard.Session
	options  inspect.Options
	page     *inspect.Page
	executor *pegboard.Executor
	mounted  http.Handler // nil means the page
	cookies  map[string]string
}

// newBench returns a page over tools. Everything is shown, and may be answered, unless
// configure says otherwise.
func newBench(t *testing.T, cfg pegboard.SessionConfig, configure func(*inspect.Options), tools ...pegboard.Tool) *bench {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	b := &bench{registry: new(pegboard.Registry), session: s, cookies: map[string]string{}}
	require.NoError(t, b.registry.Add(tools...))
	b.options = inspect.Options{Registry: b.registry, Session: s, Token: token, Answers: true, Contents: true}
	if configure != nil {
		configure(&b.options)
	}
	b.page, err = inspect.New(b.options)
	require.NoError(t, err)
	b.executor = &pegboard.Executor{OnEvent: b.page.Record}
	if b.options.Token != "" {
		require.Equal(t, http.StatusSeeOther, b.get(t, "/?token="+url.QueryEscape(b.options.Token)).Code)
		require.NotEmpty(t, b.cookies)
	}
	return b
}

// run runs calls in the main session.
func (b *bench) run(t *testing.T, calls ...pegboard.Call) []pegboard.Outcome {
	t.Helper()
	return b.executor.Run(t.Context(), b.pool(), calls...)
}

func (b *bench) pool() *pegboard.Pool {
	return b.registry.AssemblePool(b.session, pegboard.PoolConfig{})
}

// do sends a request as a browser does.
func (b *bench) do(t *testing.T, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	handler := b.mounted
	if handler == nil {
		handler = b.page
	}
	handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return w
}

func (b *bench) get(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	return b.do(t, request(http.MethodGet, path, nil))
}

// see returns a page that is there.
func (b *bench) see(t *testing.T, path string) string {
	t.Helper()
	w := b.get(t, path)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	return w.Body.String()
}

// post sends a form.
func (b *bench) post(t *testing.T, path string, form url.Values) *httptest.ResponseRecorder {
	t.Helper()
	r := request(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(t, r)
}

// references returns the links, style sheets and scripts of a page.
func references(t *testing.T, page string) []string {
	t.Helper()
	var refs []string
	for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ref := html.UnescapeString(m[1]); !strings.HasPrefix(ref, "#") && ref != "data:," {
			refs = append(refs, ref)
		}
	}
	require.NotEmpty(t, refs)
	return refs
}

func request(method, path string, body io.Reader) *http.Request {
	return httptest.NewRequest(method, "http://localhost:6060"+path, body)
}

func call(id, name, input string) pegboard.Call {
	return pegboard.Call{ID: id, Name: name, Input: json.RawMessage(input)}
}

// writer is a tool that writes the file that its input names.
func writer(name string, replies ...tooltest.Reply) *tooltest.Fake {
	return tooltest.FakeConfig{Name: name, Traits: pegboard.Traits{Concurrency: pegboard.PerTarget, Kind: pegboard.KindEdit}, Targets: func(input json.RawMessage) []policy.Target {
		var in struct{ Path string }
		if json.Unmarshal(input, &in) != nil {
			return nil
		}
		return []policy.Target{{Kind: policy.Path, Value: in.Path}}
	}}.New(replies...)
}

func permissions(t *testing.T, set policy.RuleSet) policy.Permissions {
	t.Helper()
	p, err := policy.New(policy.ModeDefault, set)
	require.NoError(t, err)
	return p
}

const (
	eventually = time.Minute
	tick       = time.Millisecond
)

// denies denies all questions until the calls have ended. Between two looks at the questions
// another may open.
func (b *bench) denies(t *testing.T, ended <-chan []pegboard.Outcome) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, q := range b.session.Questions() {
			_ = q.Answer(policy.Decision{Behavior: policy.Deny})
		}
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}, eventually, tick)
}
