package serve_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/serve"
)

// TestStoredResult reads results that were too long to be sent, page by page.
func TestStoredResult(t *testing.T) {
	t.Parallel()
	const page = 1 << 20
	tests := []struct {
		name  string
		whole string
		pages int
	}{
		{name: "one page", whole: strings.Repeat("a line\n", 10_000), pages: 1},
		{name: "exactly one page", whole: strings.Repeat("x", page-1) + "\n", pages: 1},
		{name: "one byte more", whole: strings.Repeat("x", page) + "\n", pages: 2},
		{name: "characters across pages", whole: "a" + strings.Repeat("€", page/2) + "\n", pages: 2},
	}
	for _, tt := range tests {
		for _, way := range ways {
			for _, store := range []pegboard.ResultStore{nil, &mapStore{}} {
				t.Run(tt.name+"/"+way.name, func(t *testing.T) {
					t.Parallel()
					s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) {
						cfg.Permissions, cfg.Results = allowing(t, "Put"), store
					}, writer("Put", func(context.Context, *pegboard.Call) (string, error) { return tt.whole, nil }))
					session := way.connect(t, s.Server, client("a", nil), way.protocol)
					r := callTool(t, session, "Put", `{}`)
					require.Len(t, r.Content, 2)
					link, ok := r.Content[1].(*mcp.ResourceLink)
					require.True(t, ok)
					if store == nil {
						require.EqualValues(t, len(tt.whole), *link.Size)
					}
					got, pages := "", 0
					for address := link.URI; address != ""; pages++ {
						read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: address})
						require.NoError(t, err)
						require.Len(t, read.Contents, 1)
						require.LessOrEqual(t, len(read.Contents[0].Text), page)
						got += read.Contents[0].Text
						address, _ = read.Contents[0].Meta["pegboard/next"].(string)
					}
					require.Zero(t, strings.Compare(tt.whole, got), "the pages are not the whole")
					require.Equal(t, tt.pages, pages)
				})
			}
		}
	}
}

// TestDataOfAStoredResult leaves the data of a long result out, unless a schema promises it.
func TestDataOfAStoredResult(t *testing.T) {
	t.Parallel()
	type output struct {
		Text string `json:"text"`
	}
	long := strings.Repeat("a line\n", 10_000)
	typed := pegboard.Build(pegboard.Definition[struct{}, output]{
		Info: pegboard.Info{Name: "Typed"}, Description: "Returns a long object.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (output, error) { return output{long}, nil },
	})
	untyped := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "Untyped"}, Description: "Returns a long text.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) {
			return &pegboard.Result{Parts: []pegboard.Part{{Text: long}}, Data: output{long}}, nil
		},
	})
	s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Typed", "Untyped") }, typed, untyped)
	session := connect(t, s.Server, client("a", nil), older)
	require.Equal(t, map[string]any{"text": long}, callTool(t, session, "Typed", `{}`).StructuredContent)
	require.Nil(t, callTool(t, session, "Untyped", `{}`).StructuredContent)
}

// TestResourcesOfOthers reads addresses that a client was not told of.
func TestResourcesOfOthers(t *testing.T) {
	t.Parallel()
	s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
		writer("Put", func(context.Context, *pegboard.Call) (string, error) { return strings.Repeat("a line\n", 10_000), nil }))
	own, other := connect(t, s.Server, client("a", nil), older), connect(t, s.Server, client("b", nil), older)
	link, ok := callTool(t, own, "Put", `{}`).Content[1].(*mcp.ResourceLink)
	require.True(t, ok)
	tests := []struct {
		name    string
		session *mcp.ClientSession
		uri     string
	}{
		{name: "of another client", session: other, uri: link.URI},
		{name: "unknown", session: own, uri: link.URI + "X"},
		{name: "negative", session: own, uri: link.URI + "?offset=-1"},
		{name: "no number", session: own, uri: link.URI + "?offset=a"},
		{name: "a file", session: own, uri: "file:///etc/passwd"},
		{name: "a way up", session: own, uri: "pegboard:result/../../etc/passwd"},
	}
	for _, tt := range tests {
		_, err := tt.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: tt.uri})
		require.ErrorContains(t, err, "not found", tt.name)
	}
	behind, err := own.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link.URI + "?offset=99999999"})
	require.NoError(t, err)
	require.Empty(t, behind.Contents[0].Text)
	list, err := own.ListResources(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, list.Resources)
	templates, err := own.ListResourceTemplates(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, templates.ResourceTemplates, 1)
}

// TestLinksOfASessionlessClientExpire keeps the session of a single request as long as its
// stored result may be read.
func TestLinksOfASessionlessClientExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
			writer("Put", func(context.Context, *pegboard.Call) (string, error) { return strings.Repeat("a line\n", 10_000), nil }))
		session := connectHTTP(t, s.Server, client("c", nil), modern)
		link, ok := callTool(t, session, "Put", `{}`).Content[1].(*mcp.ResourceLink)
		require.True(t, ok)
		read := func() error {
			_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link.URI})
			return err
		}
		time.Sleep(9 * time.Minute)
		require.NoError(t, read())
		time.Sleep(9 * time.Minute)
		require.NoError(t, read())
		time.Sleep(11 * time.Minute)
		require.ErrorContains(t, read(), "not found")
		clients, _, links := s.Kept()
		require.Zero(t, clients+links)
	})
}

// A mapStore keeps results in memory. What it opens cannot seek.
type mapStore struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (s *mapStore) Put(_ context.Context, id, _ string, r io.Reader) (pegboard.StoredResult, error) {
	data, err := io.ReadAll(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string][]byte{}
	}
	s.kept[id] = data
	return pegboard.StoredResult{Ref: id, Size: int64(len(data))}, err
}

func (s *mapStore) Open(_ context.Context, ref string) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.kept[ref]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(io.LimitReader(bytes.NewReader(data), int64(len(data)))), nil
}
