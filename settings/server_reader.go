package settings

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

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
	if only := l.policy.serversOnly; only.on && p.allowed == nil {
		p.allowed = []serverPattern{}
		l.warn(only.at, "%s is on and there is no %s, so that no server is allowed", serversOnlyKey, allowedServersKey)
	}
	project, err := l.openServers(ctx, pegboard.SourceProject, l.Files.Servers, maxBytes)
	if err != nil {
		return err
	}
	person, err := l.openServers(ctx, pegboard.SourceUser, l.Person, maxServerBytes)
	if err != nil {
		return err
	}
	if person != nil {
		person.readProject()
	}
	if project != nil {
		project.read(jsonedit.Span{}, pegboard.SourceProject)
	}
	if person != nil {
		if v := jsonedit.Find(person.doc.Top(), serversKey); !v.Missing() {
			person.read(v, pegboard.SourceUser)
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

// noteAlike warns about servers of several files whose tools have the same names. Those of one
// file are problems of mcpjson.
func (l *loader) noteAlike() {
	own := map[string]Server{} // not of the project
	for _, s := range l.Loaded.Servers {
		if s.Approval != ServerOff && s.Scope != pegboard.SourceProject {
			own[strings.ToLower(toolname.Server(s.Name))] = s
		}
	}
	for _, s := range l.Loaded.Servers {
		if s.Approval == ServerOff || s.Scope != pegboard.SourceProject {
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
func (l *loader) openServers(ctx context.Context, source pegboard.RuleSource, path string, limit int64) (*serverReader, error) {
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
				r.read(v, pegboard.SourceLocal)
				return
			}
		}
	}
}

// read reads the object of servers at v, or the whole file of that form if v is empty.
func (r *serverReader) read(v jsonedit.Span, scope pegboard.RuleSource) {
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
		if s.HeadersHelper != "" && scope == pegboard.SourceProject && !r.Trusted {
			server.HeadersHelper = ""
			r.warn(server.Position, "headersHelper of %s does not count until the project is trusted", strictjson.Quote(s.Name))
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
