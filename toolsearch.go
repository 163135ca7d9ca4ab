package pegboard

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/finding"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// searchToolName is the tool without which no definition waits, unless the provider searches.
const searchToolName = "ToolSearch"

// The limits of ToolSearch.
const (
	DefaultSearchResults = 5  // as the best-known harness does
	MaxSearchResults     = 50 // our choice: accuracy drops with more tools in sight
)

// SearchOptions change [ToolSearch]. The zero value works.
type SearchOptions struct {
	// Ranker orders the tools by what they have to do with words; nil means
	// [Lexical]. If it fails, Lexical stands in.
	Ranker Ranker
	// Newest returns the pool to search, when there may be a newer one than the call's,
	// as when a server has connected meanwhile. Nil, or a nil pool, means the call's.
	Newest func(*Session) *Pool
	// Servers names the servers that still connect, and those that failed to. It may
	// wait for the former, for as long as ctx does. Nil means that there are none.
	Servers func(ctx context.Context) (pending, failed []string)
}

type searchInput struct {
	Query      string `json:"query" jsonschema:"minLength=1" jsonschema_description:"select:NAME,NAME for tools whose names you know; otherwise words that say what the tool should do, of which those after a + must be in its name"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"minimum=1,maximum=50" jsonschema_description:"How many tools to find at most (default 5; for names, as many as there are)"`
}

// SearchOutput is what a host gets as Result.Data of [ToolSearch].
type SearchOutput struct {
	Matches []string `json:"matches"` // names in the pool, best first
	Total   int      `json:"total_deferred_tools"`
	Pending []string `json:"pending_mcp_servers,omitempty"`
	Failed  []string `json:"failed_mcp_servers,omitempty"`

	report finding.Report
}

// ToolSearch returns the tool with which a model finds the tools whose definitions
// wait, see [Deferral]. Its result refers to those that were found, in [Part].Tool:
// a wire makes references of them, or shows their definitions just as the request
// would have held them. They count as loaded from then on, see [Session.Loaded].
//
// The query says what is wanted, as [Pool.Search] describes.
func ToolSearch(o SearchOptions) Tool {
	return Build(Definition[searchInput, SearchOutput]{
		Info: Info{Name: searchToolName, Loading: LoadAlways, MaxResult: -1},
		Description: "Finds tools and loads their definitions. Of a tool that waits to be loaded only the name is known: it cannot be called " +
			"before its definition has appeared in a result of this tool. From then on it is called like any other, for the rest of the conversation. " +
			"Ask for names that you know with select:NAME or select:NAME,NAME; otherwise describe in a few words what the tool should do. " +
			"A word after a + must be part of the name, as in \"+github create issue\".",
		Traits: Traits{Concurrency: Shared, ReadOnly: true},
		Permit: func(context.Context, searchInput, *Call) Decision { return Decision{Behavior: Allow} }, // it only reads definitions
		Call:   o.search,
		Result: searchResult,
	})
}

func (o SearchOptions) search(ctx context.Context, in searchInput, c *Call) (out SearchOutput, err error) {
	if o.Servers != nil {
		out.Pending, out.Failed = o.Servers(ctx)
	}
	held, ranker := c.Pool(), o.Ranker
	if held == nil {
		return out, errNotAdmitted
	}
	p := held
	if o.Newest != nil {
		p = cmp.Or(o.Newest(c.Session()), p)
	}
	if ranker == nil {
		ranker = Lexical{}
	}
	q := finding.Parse(in.Query, p.hasServer)
	var matches []Match
	if q.ByName { // who knows the names wants them all
		matches, out.report.Missing, out.report.Left = p.selectNames(q.Names, cmp.Or(in.MaxResults, MaxSearchResults))
	} else if matches, err = p.find(ctx, ranker, q, cmp.Or(in.MaxResults, DefaultSearchResults)); err != nil {
		c.Emit("the ranker failed, words alone count: " + err.Error())
		matches = p.Search(in.Query, cmp.Or(in.MaxResults, DefaultSearchResults))
	}
	out.Total, out.Matches = len(p.waiting), []string{}
	for _, m := range matches {
		out.Matches = append(out.Matches, m.Name)
		if _, ok := held.Lookup(m.Name); !ok { // the request that the call came from does not hold it
			out.report.New = append(out.report.New, m.Name)
		}
	}
	if len(matches) == 0 {
		out.report.Nearest = q.Nearest(p.Waiting())
	}
	return out, nil
}

// searchResult refers to what was found. Text stands beside it only where there is
// more to say.
func searchResult(out SearchOutput) *Result {
	r := &Result{Data: out}
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

// Searchable reports whether ToolSearch or the provider finds tools that wait.
func (p *Pool) Searchable() bool { return p.deferral.Hosted || p.hasFinder() }

func (p *Pool) hasFinder() bool {
	i, ok := p.index[searchToolName]
	return ok && p.tools[i].info.Name == searchToolName
}

// Waiting returns the names of the tools whose definitions wait for a search, loaded
// or not, in prompt order.
func (p *Pool) Waiting() []string {
	var names []string
	for _, i := range p.waiting {
		names = append(names, p.tools[i].info.Name)
	}
	return names
}

// Loaded yields what the model is told of the tools that wait and were loaded, in the
// order of [Session.Loaded] when the pool was assembled. A request of a provider that
// has no references to tools holds them after all others, so that what was sent
// before stays the same.
func (p *Pool) Loaded() iter.Seq[Declaration] {
	return func(yield func(Declaration) bool) {
		for _, i := range p.loaded {
			if !yield(*p.tools[i].decl) {
				return
			}
		}
	}
}

// Announce returns what the model should be told of the tools whose definitions wait,
// given the names that it was told of before: all of them if there are none, or what
// has come and gone since. Text is empty if nothing has. now is what to give next
// time; after a compaction, and in a conversation that does not hold what was said
// before, give nil. A part of a message of the user is a good place for the text.
func (p *Pool) Announce(told []string) (text string, now []string) {
	if !p.hasFinder() { // the provider searches, and needs no names
		return "", told
	}
	now = slices.Sorted(slices.Values(p.Waiting()))
	told = slices.DeleteFunc(slices.Clone(told), func(name string) bool { // it is in sight now
		i, ok := p.index[name]
		return ok && !p.tools[i].decl.Deferred
	})
	return finding.Announce(now, told, p.sourceOf), now
}

// sourceOf returns where a tool comes from, which may be gone.
func (p *Pool) sourceOf(name string) finding.Source {
	server := toolname.ServerIn(name)
	if i, ok := p.index[name]; ok {
		server = p.tools[i].info.server
	}
	return finding.Source{Prefix: server, About: p.from.describe(server)}
}

// Loaded returns the tools that the conversation has mentioned, each once: of every
// message those that the model called, then those that ToolSearch found. A wire's Loaded
// makes the same of the history. Without a search in the pool nothing is noted.
func (s *Session) Loaded() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.loaded)
}

// SetLoaded replaces what Loaded returns by what a wire's Loaded found in a history: of
// a conversation that is resumed or rewound, or that a fork goes on with.
func (s *Session) SetLoaded(tools ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded, s.seen = nil, slices.Clone(tools)
	for _, name := range tools {
		s.loaded = with(s.loaded, name)
	}
}

// load notes that a tool was mentioned, and whether the model knows its definition now.
func (s *Session) load(name string, seen bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded = with(s.loaded, name); seen {
		s.seen = with(s.seen, name)
	}
}

func with(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// loadFound notes the tools that a result refers to.
func (p *Pool) loadFound(r *Result) {
	for _, part := range r.Parts {
		if part.Tool == "" {
			continue
		}
		name := part.Tool // of a newer pool, in which other tools may wait, if it is not in this one
		if i, ok := p.index[name]; ok {
			name = p.tools[i].info.Name
		}
		p.session.load(name, true)
	}
}

// hasSeen reports whether the model knows the definition of a tool that waits, perhaps by
// a former name.
func (s *Session) hasSeen(i Info) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.seen, i.answersTo)
}
