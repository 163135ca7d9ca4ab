package settings

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

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
	if s.Scope == pegboard.SourceProject {
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
	if s.Scope != pegboard.SourceProject {
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
	case r.policy.serversOnly.on && !r.managed():
		r.serverPatterns(v, allowedServersKey, r.wrongAllows, r.policy.serversOnly.String())
		r.warnAt(r.member(allowedServersKey), "%s does not count, since %v", allowedServersKey, r.policy.serversOnly)
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

// readEnabled reads what switches servers of the project on.
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
