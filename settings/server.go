package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// An Approval says whether an MCP server may be started. The zero value is ServerOff.
type Approval int

// The approvals.
const (
	ServerOff Approval = iota // a file rules the server out, or the user has declined it
	ServerAsk                 // the user is to be asked, see [Files.Approve]
	ServerOn                  // the server is the user's own, or was approved
)

// String returns off, ask or on.
func (a Approval) String() string {
	switch a {
	case ServerOn:
		return "on"
	case ServerAsk:
		return "ask"
	}
	return "off"
}

// A Server is a configured MCP server. Its Source is the path of the file.
type Server struct {
	mcpjson.Server
	// Scope is SourceManaged for managedMcpServers of a managed file, SourceLocal for
	// projects[DIR].mcpServers of .claude.json, SourceProject for .mcp.json, and SourceUser for
	// mcpServers of .claude.json. A server of a higher scope replaces those of the same name.
	Scope policy.Source
	Position
	Approval Approval
	Why      string // the reason for Approval
}

// String returns the name, the type and the approval.
func (s Server) String() string { return s.Server.String() + ": " + s.Approval.String() }

// A serverPolicy says which servers may be started.
type serverPolicy struct {
	enabled, disabled map[string]Position // by name
	enableAll         toggle
	allowed           []serverPattern // nil: no limit
	denied            []serverPattern
	compared          int // patterns with servers of the project
}

// maxCompared is how often a pattern is compared with a server of the project. Further servers
// are off, so that a project cannot keep the program busy.
const maxCompared = 1_000_000

// A serverPattern is an entry of allowedMcpServers or deniedMcpServers: one of the three is
// set.
type serverPattern struct {
	name    string
	command []string
	url     string
	at      Position
}

// matches reports whether the pattern is about a server.
func (p serverPattern) matches(s mcpjson.Server) bool {
	switch {
	case p.name != "":
		return p.name == s.Name
	case p.command != nil:
		return s.Type == mcpjson.Stdio && slices.Equal(p.command, append([]string{s.Command}, s.Args...))
	}
	if s.Type == mcpjson.Stdio {
		return false
	}
	u, err := url.Parse(s.URL)
	return err == nil && pattern.URL(p.url, u)
}

// approve decides about a server.
func (p *serverPolicy) approve(s *Server) (Approval, string) {
	if s.Scope == policy.SourceProject {
		if p.compared += len(p.denied) + len(p.allowed); p.compared > maxCompared {
			return ServerOff, "the files have more servers and entries about them than are compared"
		}
	}
	if i := slices.IndexFunc(p.denied, func(d serverPattern) bool { return d.matches(s.Server) }); i >= 0 {
		return ServerOff, fmt.Sprintf("%s in %v", deniedServersKey, p.denied[i].at)
	}
	if !p.allows(s.Server) {
		return ServerOff, "no entry of " + allowedServersKey + " is about it"
	}
	switch s.Scope {
	case policy.SourceManaged:
		return ServerOn, "a managed file has it"
	case policy.SourceProject:
	default:
		return ServerOn, "it is the user's own"
	}
	if at, ok := p.disabled[s.Name]; ok {
		return ServerOff, fmt.Sprintf("%s in %v", disabledServersKey, at)
	}
	if at, ok := p.enabled[s.Name]; ok {
		return ServerOn, fmt.Sprintf("%s in %v", enabledServersKey, at)
	}
	if p.enableAll.on {
		return ServerOn, fmt.Sprintf("%s in %v", enableAllServersKey, p.enableAll.at)
	}
	return ServerAsk, "the user has neither approved nor declined it"
}

// allows reports whether the allowed servers are no limit for a server. Where they name
// commands or addresses, a server of that kind must be one of those, whatever its name.
func (p *serverPolicy) allows(s mcpjson.Server) bool {
	if p.allowed == nil {
		return true
	}
	exact := func(a serverPattern) bool {
		return a.name == "" && (s.Type == mcpjson.Stdio) == (a.command != nil)
	}
	named := !slices.ContainsFunc(p.allowed, exact)
	return slices.ContainsFunc(p.allowed, func(a serverPattern) bool {
		return a.matches(s) && (named || a.name == "")
	})
}

// readServerPolicy reads the keys of the file that are about servers.
func (r *fileReader) readServerPolicy(p *serverPolicy) {
	r.readEnabled(p)
	if v, ok := r.key(disabledServersKey); ok {
		items, _ := r.list(v, disabledServersKey, r.wrongDenies)
		for _, i := range items {
			r.fact(FactSwitch, disabledServersKey+": "+strictjson.Quote(i.text), i.at)
			if _, known := p.disabled[i.text]; !known {
				p.disabled[i.text] = r.at(i.at.Start)
			}
		}
	}
	if v, ok := r.key(deniedServersKey); ok {
		p.denied = append(p.denied, r.serverPatterns(v, deniedServersKey, r.wrongDenies, "")...)
	}
	v, ok := r.key(allowedServersKey)
	switch why := ""; {
	case !ok:
		return
	case r.precedence.serversOnly.on && !r.managed():
		r.serverPatterns(v, allowedServersKey, r.wrongAllows, r.precedence.serversOnly.String())
		r.warnAt(r.member(allowedServersKey), "%s does not count, since %v", allowedServersKey, r.precedence.serversOnly)
		return
	default:
		if !r.trusted {
			why = untrustedWhy
			r.warnAt(r.member(allowedServersKey), "%s: what it allows does not count until the project is trusted", allowedServersKey)
		}
		if p.allowed == nil {
			p.allowed = []serverPattern{}
		}
		if patterns := r.serverPatterns(v, allowedServersKey, r.wrongAllows, why); r.trusted {
			p.allowed = append(p.allowed, patterns...)
		}
	}
}

// readEnabled reads the keys that switch servers of the project on.
func (r *fileReader) readEnabled(p *serverPolicy) {
	if v, ok := r.key(enabledServersKey); ok {
		items, _ := r.list(v, enabledServersKey, r.wrongAllows)
		if len(items) > 0 && !r.trusted {
			r.warnAt(r.member(enabledServersKey), "%s does not count until the project is trusted", enabledServersKey)
		}
		for _, i := range items {
			fact := r.fact(FactSwitch, enabledServersKey+": "+strictjson.Quote(i.text), i.at)
			if !r.trusted {
				r.discount(fact, untrustedWhy)
			} else if _, known := p.enabled[i.text]; !known {
				p.enabled[i.text] = r.at(i.at.Start)
			}
		}
	}
	r.readToggle(enableAllServersKey, &p.enableAll)
}

// serverPatterns reads a list of patterns. Why is why they do not count, or "".
func (r *fileReader) serverPatterns(v jsonedit.Span, key string, wrong func(at jsonedit.Span, key string, err error), why string) (all []serverPattern) {
	if !r.doc.Opens(v, '[') {
		wrong(v, key, fmt.Errorf(`there is %s; write a list such as [{"serverName": "github"}]`, r.describe(v)))
		return nil
	}
	for i, element := range r.doc.Elements(v) {
		p, err := r.serverPattern(element)
		if err != nil {
			wrong(element, strictjson.AppendIndex(key, i), err)
			continue
		}
		p.at = r.at(element.Start)
		text := p.name
		if p.command != nil {
			text = strings.Join(p.command, " ")
		} else if text == "" {
			text = p.url
		}
		if fact := r.fact(FactSwitch, key+": "+strictjson.Quote(text), element); why != "" {
			r.discount(fact, "%s", why)
		}
		all = append(all, p)
	}
	return all
}

// serverPattern reads an entry with one of three keys.
func (r *fileReader) serverPattern(v jsonedit.Span) (p serverPattern, err error) {
	members := r.doc.Members(v)
	if len(members) != 1 {
		return p, fmt.Errorf("there is %s; write an object with one key: serverName, serverCommand or serverUrl", r.describe(v))
	}
	switch value := members[0].Value; members[0].Key {
	case "serverName":
		p.name, err = r.string(value)
	case "serverUrl":
		if p.url, err = r.string(value); err == nil && p.url != "" && p.url != "*" && !strings.Contains(p.url, "://") {
			err = fmt.Errorf("there is %s, which is no address; write one such as https://example.com/*", strictjson.Quote(p.url))
		}
	case "serverCommand":
		items, ok := r.list(value, "serverCommand", func(_ jsonedit.Span, _ string, e error) { err = e })
		for _, i := range items {
			p.command = append(p.command, i.text)
		}
		if ok && err == nil && len(items) == 0 {
			err = fmt.Errorf("the command is empty; write the program and its arguments")
		}
	default:
		err = fmt.Errorf("the key %s is not known; write serverName, serverCommand or serverUrl", strictjson.Quote(members[0].Key))
	}
	if err == nil && p.name == "" && p.url == "" && p.command == nil {
		err = fmt.Errorf("the text is empty; write what the server is recognized by")
	}
	return p, err
}

// maxServerBytes is the maximum size of a file with MCP servers. That of the home directory
// holds much else.
const maxServerBytes = 64 << 20

// A serverReader reads the MCP servers of one file.
type serverReader struct {
	*loader
	text
	doc *jsonedit.Document
}

// readServers reads the servers of all scopes and decides about each.
func (l *loader) readServers(ctx context.Context) error {
	p := &serverPolicy{enabled: map[string]Position{}, disabled: map[string]Position{}}
	for _, r := range l.readers {
		r.readServerPolicy(p)
	}
	if only := l.precedence.serversOnly; only.on && p.allowed == nil {
		p.allowed = []serverPattern{}
		l.warn(only.at, "%s is on and there is no %s, so that no server is allowed", serversOnlyKey, allowedServersKey)
	}
	for _, r := range l.readers {
		r.readManagedServers()
	}
	project, err := l.openServers(ctx, policy.SourceProject, l.Files.Servers, maxBytes)
	if err != nil {
		return err
	}
	person, err := l.openServers(ctx, policy.SourceUser, l.Person, maxServerBytes)
	if err != nil {
		return err
	}
	if person != nil {
		person.readProject()
	}
	if project != nil {
		project.read(jsonedit.Span{}, policy.SourceProject)
	}
	if person != nil {
		if v := jsonedit.Find(person.doc.Top(), serversKey); !v.Missing() {
			person.read(v, policy.SourceUser)
		}
	}
	for i := range l.Loaded.Servers {
		s := &l.Loaded.Servers[i]
		s.Approval, s.Why = p.approve(s)
		if fact := l.note(FactServer, s.Server.String(), s.Scope, s.Position); s.Approval == ServerOn {
			l.facts[fact].Why = s.Why
		} else {
			l.discount(fact, "%s: %s", s.Approval, s.Why)
		}
	}
	l.noteAlike()
	slices.SortFunc(l.Loaded.Servers, func(a, b Server) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

// readManagedServers reads the servers that a managed file gives to everybody. Only servers at an
// address count: a process would be a command of the file that runs unasked.
func (r *fileReader) readManagedServers() {
	v, ok := r.key(managedServersKey)
	switch {
	case !ok:
	case !r.managed():
		r.warnAt(v, "%s counts in managed files only", managedServersKey)
	case !r.doc.Opens(v, '{'):
		r.warnAt(v, `%s: there is %s, so that no server of it counts; write an object such as {"docs": {"type": "http", "url": "https://example.com/mcp"}}`, managedServersKey, r.describe(v))
	default:
		servers := &serverReader{loader: r.loader, text: r.text, doc: r.doc}
		servers.read(v, policy.SourceManaged)
	}
}

// noteAlike warns about servers of several files whose tools have the same names. Those of one
// file are problems of mcpjson.
func (l *loader) noteAlike() {
	own := map[string]Server{} // not of the project
	for _, s := range l.Loaded.Servers {
		if s.Approval != ServerOff && s.Scope != policy.SourceProject {
			own[strings.ToLower(toolname.Server(s.Name))] = s
		}
	}
	for _, s := range l.Loaded.Servers {
		if s.Approval == ServerOff || s.Scope != policy.SourceProject {
			continue
		}
		if other, alike := own[strings.ToLower(toolname.Server(s.Name))]; alike {
			l.warn(s.Position, "the names of the tools of %s begin like those of %s, so that rules about one are about both; rename one of the two servers",
				strictjson.Quote(s.Name), strictjson.Quote(other.Name))
		}
	}
}

// openServers parses a file with servers. It returns nil if it is missing, or if it cannot be
// read, which is a warning, since no server is started then.
func (l *loader) openServers(ctx context.Context, source policy.Source, path string, limit int64) (*serverReader, error) {
	if path == "" {
		return nil, nil
	}
	before := newStamp(source, path)
	real, err := resolve(path)
	var snap *atomicfile.Snapshot
	if err == nil {
		var store atomicfile.Store
		snap, err = store.Load(ctx, real, limit)
	}
	l.state.add(before, snap)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	at := Position{Path: path}
	if errors.Is(err, fs.ErrNotExist) && snap == nil && !isLink(path) {
		return nil, nil
	}
	if err != nil {
		l.warn(at, "its MCP servers do not count, since it cannot be read: %v", err)
		l.discount(l.note(FactFile, path, "", at), "%v", err)
		return nil, nil
	}
	doc, err := jsonedit.Parse(snap.Data)
	if err != nil && !errors.Is(err, jsonedit.ErrEmpty) {
		bad := newCorrupt(path, snap.Data, err)
		at.Line, at.Column = bad.Line, bad.Column
		text := bad.Err.Error()
		if jsonedit.Commented(snap.Data) {
			text = ErrComments.Error()
		}
		l.warn(at, "its MCP servers do not count: %s", text)
		l.discount(l.note(FactFile, path, "", at), "%s", text)
		return nil, nil
	}
	l.note(FactFile, path, "", at)
	if doc == nil { // it is empty
		return nil, nil
	}
	return &serverReader{loader: l, text: text{path: path, data: snap.Data}, doc: doc}, nil
}

// isLink reports whether there is a link at a path.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// readProject reads the servers of .claude.json for the session's directory, or else for its
// project.
func (r *serverReader) readProject() {
	projects := r.doc.Members(jsonedit.Find(r.doc.Top(), "projects"))
	dir, _, err := r.sessionDirs()
	if err != nil {
		return
	}
	for _, key := range []string{dir, r.projectDir()} {
		for _, spelled := range []string{key, filepath.ToSlash(key)} {
			v := jsonedit.Find(r.doc.Members(jsonedit.Find(projects, spelled)), serversKey)
			if !v.Missing() {
				r.read(v, policy.SourceLocal)
				return
			}
		}
	}
}

// read reads the object of servers at v, or the whole file of that form if v is empty.
func (r *serverReader) read(v jsonedit.Span, scope policy.Source) {
	data, servers := r.data, v
	if v.Missing() {
		servers = jsonedit.Find(r.doc.Top(), serversKey)
	} else {
		data = slices.Concat([]byte(`{"`+serversKey+`": `), r.doc.Bytes(v), []byte("}"))
	}
	configured, problems := mcpjson.Parse(data, r.lookup)
	at := r.places(servers, problems)
	for i, p := range problems {
		r.warn(at[i], "%s", p)
	}
	starts, known := map[string]int{}, make(map[string]Position, len(r.Loaded.Servers))
	for _, m := range r.doc.Members(servers) {
		starts[m.Key] = m.Start
	}
	for _, other := range r.Loaded.Servers {
		known[other.Name] = other.Position
	}
	for _, s := range configured {
		s.Source = r.path
		server := Server{Server: s, Scope: scope, Position: r.at(starts[s.Name])}
		if s.HeadersHelper != "" && scope == policy.SourceProject && !r.Trusted {
			server.HeadersHelper = ""
			r.warn(server.Position, "headersHelper of %s does not count until the project is trusted", strictjson.Quote(s.Name))
		}
		if scope == policy.SourceManaged && s.Type == mcpjson.Stdio {
			r.warn(server.Position, "%s is a process, and does not count: %s may have servers at an address only", strictjson.Quote(s.Name), managedServersKey)
			continue
		}
		if other, twice := known[s.Name]; twice {
			r.discount(r.note(FactServer, s.String(), scope, server.Position), "overridden by %v", other)
			continue
		}
		r.Loaded.Servers = append(r.Loaded.Servers, server)
	}
}

// maxPath is the length of a path up to which a value is searched for.
const maxPath = 1000

// places returns the positions of problems: of their values, or of the innermost values around
// them that are there. The file is walked once for all of them.
func (r *serverReader) places(servers jsonedit.Span, problems []mcpjson.Problem) []Position {
	starts := map[string]int{} // of the values on the way to a problem, by their paths; -1 if not found
	for _, p := range problems {
		for at := p.Path; at != "" && len(at) <= maxPath; at = at[:max(strings.LastIndexAny(at, ".["), 0)] {
			starts[at] = -1
		}
	}
	if _, wanted := starts[serversKey]; wanted && !servers.Missing() {
		starts[serversKey] = servers.Start
		r.visit(servers, serversKey, starts)
	}
	r.visit(r.doc.Root(), "", starts)
	all := make([]Position, len(problems))
	for i, p := range problems {
		all[i] = r.whole()
		for at := p.Path; at != "" && len(at) <= maxPath; at = at[:max(strings.LastIndexAny(at, ".["), 0)] {
			if start := starts[at]; start >= 0 {
				all[i] = r.at(start)
				break
			}
		}
	}
	return all
}

// visit notes where the values are whose paths have a start of -1. The value at v has the path
// name.
func (r *serverReader) visit(v jsonedit.Span, name string, starts map[string]int) {
	found := func(path string, start int, value jsonedit.Span) {
		if known, wanted := starts[path]; wanted && known < 0 {
			starts[path] = start
			r.visit(value, path, starts)
		}
	}
	for _, m := range r.doc.Members(v) {
		found(strictjson.AppendKey(name, m.Key), m.Start, m.Value)
	}
	for i, element := range r.doc.Elements(v) {
		found(strictjson.AppendIndex(name, i), element.Start, element)
	}
}

// lookup returns a variable for the configuration of servers.
func (l *loader) lookup(name string) (string, bool) {
	if name == "CLAUDE_PROJECT_DIR" {
		return l.projectDir(), true
	}
	return l.variable(name)
}

// variable returns a variable of env, or else of the environment.
func (l *loader) variable(name string) (string, bool) {
	if value, ok := l.Env[name]; ok {
		return value, true
	}
	if l.Lookup != nil {
		return l.Lookup(name)
	}
	return os.LookupEnv(name)
}
