package pegboard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/searchquery"
)

// searchToolName is the name of the tool that finds deferred tools.
const searchToolName = "ToolSearch"

// The limits of ToolSearch.
const (
	DefaultSearchResults = 5  // as in Claude Code
	MaxSearchResults     = 50 // our choice: models choose less accurately among more tools
)

// SearchOptions configure [ToolSearch]. The zero value works.
type SearchOptions struct {
	// Ranker orders the tools by their relevance; nil means [LexicalRanker], which is also
	// used if Ranker fails.
	Ranker Ranker
	// Newest returns the pool to search if there is a newer one than the call's, for
	// example because a server has connected meanwhile. If Newest or its result is nil, the
	// call's pool is searched.
	Newest func(*Session) *Pool
	// Servers returns the servers that are still connecting, and those that failed to
	// connect. It may wait for the former until ctx ends. Nil means that there are none.
	Servers func(ctx context.Context) (pending, failed []string)
}

type searchInput struct {
	Query      string `json:"query" jsonschema:"minLength=1" jsonschema_description:"select:NAME,NAME for tools whose names you know; otherwise words that say what the tool should do, of which those after a + must be in its name"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"minimum=1,maximum=50" jsonschema_description:"How many tools to find at most (default 5; for names, as many as there are)"`
}

// SearchOutput is the Result.Data of [ToolSearch], for the host.
type SearchOutput struct {
	Matches []string `json:"matches"` // names in the pool, best first
	Total   int      `json:"total_deferred_tools"`
	Pending []string `json:"pending_mcp_servers,omitempty"`
	Failed  []string `json:"failed_mcp_servers,omitempty"`

	report searchquery.Report
}

// ToolSearch returns the tool with which a model finds deferred tools, see [Deferral]. Its
// result refers to the tools that were found, in [Part].Tool: a wire turns these into
// references, or shows the definitions as the request would contain them. The tools count
// as loaded from then on, see [Session.Loaded].
//
// The query is that of [Pool.Search].
func ToolSearch(o SearchOptions) Tool {
	return Build(Definition[searchInput, SearchOutput]{
		Info: Info{Name: searchToolName, Title: "Find tools", Loading: LoadAlways, MaxResult: -1},
		Description: "Finds tools and loads their definitions. Of a tool that waits to be loaded only the name is known: it cannot be called " +
			"before its definition has appeared in a result of this tool. From then on it is called like any other, for the rest of the conversation. " +
			"Ask for names that you know with select:NAME or select:NAME,NAME; otherwise describe in a few words what the tool should do. " +
			"A word after a + must be part of the name, as in \"+github create issue\".",
		Traits: Traits{
			Concurrency: Shared, ReadOnly: true, Kind: KindSearch,
			Targets: []Target{{Kind: TargetResource, Access: AccessRead, Value: "tools of the pool"}},
		},
		Lines: func(in searchInput, _ *Call) Lines {
			return Lines{Before: "Find tools: " + in.Query, While: "Finding tools: " + in.Query}
		},
		Permit: func(context.Context, searchInput, *Call) Decision { return Decision{Behavior: Allow} }, // it only reads definitions
		Call:   o.search,
		Result: searchResult,
	})
}

func (o SearchOptions) search(ctx context.Context, in searchInput, c *Call) (out SearchOutput, err error) {
	if o.Servers != nil {
		out.Pending, out.Failed = o.Servers(ctx)
	}
	own, ranker := c.Pool(), o.Ranker
	if own == nil {
		return out, errNotAdmitted
	}
	p := own
	if o.Newest != nil {
		p = cmp.Or(o.Newest(c.Session()), p)
	}
	if ranker == nil {
		ranker = LexicalRanker{}
	}
	q := searchquery.Parse(in.Query, p.hasServer)
	var matches []SearchMatch
	if q.ByName { // all named tools, unless there are very many
		matches, out.report.Missing, out.report.OverLimit = p.findByName(q.Names, cmp.Or(in.MaxResults, MaxSearchResults))
	} else if matches, err = p.findByWords(ctx, ranker, q, cmp.Or(in.MaxResults, DefaultSearchResults)); err != nil {
		c.Emit("the ranker failed, words alone count: " + err.Error())
		matches = p.Search(in.Query, cmp.Or(in.MaxResults, DefaultSearchResults))
	}
	out.Total, out.Matches = len(p.deferred), []string{}
	for _, m := range matches {
		out.Matches = append(out.Matches, m.Name)
		if _, ok := own.Lookup(m.Name); !ok { // the request of this call did not contain it
			out.report.New = append(out.report.New, m.Name)
		}
	}
	if len(matches) == 0 {
		out.report.Nearest = q.Nearest(p.Deferred())
	}
	return out, nil
}

// searchResult refers to the tools that were found, with a text if there is more to say.
func searchResult(out SearchOutput) *Result {
	r := &Result{Data: out, SearchText: strings.Join(out.Matches, "\n"), Line: fmt.Sprintf("Found %d tools", len(out.Matches))}
	if len(out.Matches) == 1 {
		r.Line = "Found 1 tool"
	}
	report := out.report
	report.Found, report.Total, report.Pending, report.Failed = len(out.Matches), out.Total, out.Pending, out.Failed
	for _, name := range out.Matches {
		if !slices.Contains(report.New, name) {
			r.Parts = append(r.Parts, Part{Tool: name})
		}
	}
	if text := report.Text(); text != "" {
		r.Parts = append(r.Parts, Part{Text: text})
	}
	return r
}
