package mcpjson

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

const (
	serversKey = "mcpServers"
	schemaKey  = "$schema" // editors write it; it has no effect and needs no problem

	maxBytes = 16 << 20 // of a configuration
	example  = `{"mcpServers": {"NAME": {"command": "PROGRAM"}}}`
)

// Parse returns the servers of a configuration in the order of the text, and its problems.
// The text is UTF-8, with or without a byte order mark, and at most 16 MiB long. Nothing but
// space is no servers and no problem.
//
// Lookup returns the value of a variable and whether it is set, as os.LookupEnv does. With
// nil, no variable is set. If it panics, the variable is not set.
//
// Two entries of the same name are not loaded, nor is an entry that repeats a key: readers
// differ on what either means. An unknown key is a problem and has no effect, but for
// disabled and enabled, which other clients know: an entry that is switched off by one of
// them is not loaded.
func Parse(data []byte, lookup func(name string) (string, bool)) ([]Server, []Problem) {
	d := document{lookup: lookup}
	if len(data) > maxBytes {
		d.fault("", fmt.Sprintf("the text is longer than %d bytes", maxBytes))
		return nil, d.problems
	}
	doc, err := jsonedit.Parse(data)
	switch {
	case errors.Is(err, jsonedit.ErrEmpty):
		return nil, nil
	case err != nil && jsonedit.Commented(data):
		d.fault("", "JSON has no comments and no comma before a closing bracket; take them out")
	case err != nil:
		d.fault("", err.Error())
	case !doc.Opens(doc.Root(), '{'):
		d.fault("", "the text is not a JSON object; write "+example)
	default:
		d.doc = doc
		d.read()
	}
	return d.servers, d.problems
}

// A document is a configuration that is being read.
type document struct {
	doc      *jsonedit.Document
	lookup   func(name string) (string, bool)
	servers  []Server
	problems []Problem
}

// fault notes that no server was loaded.
func (d *document) fault(path, text string) {
	d.problems = append(d.problems, Problem{Path: path, Text: text, Skipped: true})
}

// note notes something that has no effect.
func (d *document) note(path, text string) {
	d.problems = append(d.problems, Problem{Path: path, Text: text})
}

func (d *document) read() {
	top := d.doc.Top()
	alone := jsonedit.IndexOf(top, serversKey) < 0
	for _, m := range top {
		if m.Key != serversKey && m.Key != schemaKey {
			d.readOther(m, alone)
		}
	}
	if _, twice := jsonedit.Repeated(top, serversKey); twice {
		d.fault(serversKey, "the key is there twice; write one object with all servers")
		return
	}
	servers := jsonedit.Find(top, serversKey)
	switch {
	case servers.Missing():
		if len(top) > 0 && len(d.problems) == 0 {
			d.fault("", "there is no mcpServers; write "+example)
		}
	case d.doc.Raw(servers) == "null":
	case !d.doc.Opens(servers, '{'):
		d.fault(serversKey, "the value is not an object; write "+example)
	default:
		d.readServers(d.doc.Members(servers))
	}
}

// readOther notes a key beside mcpServers. Alone says that mcpServers is missing, so that the
// key may be a server or another spelling.
func (d *document) readOther(m jsonedit.Member, alone bool) {
	path := strictjson.AppendKey("", m.Key)
	switch {
	case alone && d.isServer(m.Value):
		d.problems = append(d.problems, Problem{
			Server: m.Key, Path: path, Skipped: true,
			Text: `servers stand inside mcpServers; write {"mcpServers": {` + strictjson.Quote(m.Key) + `: {…}}}`,
		})
	case alone && d.holdsServers(m.Value):
		d.fault(path, "servers stand in an object of another name; write mcpServers instead of "+strictjson.Quote(m.Key))
	default:
		d.note(path, "the key is not known and has no effect; take it out")
	}
}

// isServer reports whether a value looks like the configuration of a server.
func (d *document) isServer(v jsonedit.Span) bool {
	members := d.doc.Members(v)
	return jsonedit.IndexOf(members, "command") >= 0 || jsonedit.IndexOf(members, "url") >= 0
}

// holdsServers reports whether a value is an object with a member that looks like a server.
func (d *document) holdsServers(v jsonedit.Span) bool {
	for _, m := range d.doc.Members(v) {
		if d.isServer(m.Value) {
			return true
		}
	}
	return false
}

func (d *document) readServers(members []jsonedit.Member) {
	count := make(map[string]int, len(members))
	for _, m := range members {
		count[m.Key]++
	}
	for _, m := range members {
		e := entry{document: d, Server: Server{Name: m.Key}, path: strictjson.AppendKey(serversKey, m.Key)}
		switch {
		case count[m.Key] > 1:
			e.skip("", "the name is there twice; give each server a name of its own")
			count[m.Key] = -1 // told once
		case count[m.Key] < 0:
		default:
			e.read(m.Value)
		}
	}
	d.noteAlike()
}

// noteAlike notes servers whose tools have the same names for the model.
func (d *document) noteAlike() {
	first := make(map[string]string, len(d.servers))
	for _, s := range d.servers {
		exposed := strings.ToLower(toolname.Server(s.Name))
		other, twice := first[exposed]
		if !twice {
			first[exposed] = s.Name
			continue
		}
		d.problems = append(d.problems, Problem{
			Server: s.Name, Path: strictjson.AppendKey(serversKey, s.Name),
			Text: "the names of its tools begin like those of " + strictjson.Quote(other) + "; rename one of the two servers",
		})
	}
}
