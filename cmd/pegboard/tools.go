package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/builtin"
	"github.com/seed49eaa51d/pegboard/settings"
)

const toolsHelp = `Lists the tools that serve and run have under the settings, with the size of each
definition in bytes, which a model reads with each request; those that it has to ask for
first; and why the others are absent.

  pegboard tools
  pegboard tools -servers     with the tools of the MCP servers, which are started
`

func newTools(p *program, flags *flag.FlagSet) func(context.Context, []string) error {
	var at place
	at.addFlags(flags, true)
	servers := flags.Bool("servers", false, "start the MCP servers that are on, and list their tools, too")
	return func(ctx context.Context, args []string) (err error) {
		if len(args) > 0 {
			return fmt.Errorf("there is an argument too many: %s", args[0])
		}
		files, loaded, err := p.load(ctx, at)
		if err != nil {
			return err
		}
		used := asleep(loaded)
		if *servers {
			used.Servers = loaded.Servers
		}
		o, err := open(builtin.Options{Files: files, Settings: used}, pegboard.SessionConfig{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, o.session.Close(context.WithoutCancel(ctx))) }()
		if o.set.Servers != nil {
			if err := o.set.Servers.Ready(ctx); err != nil {
				p.tell("pegboard tools: %v\n", err) // the others are there
			}
		}
		_, err = io.WriteString(p.out, p.listed(o.pool(ctx))+p.absent(o.pool(ctx))+serversOf(loaded))
		return err
	}
}

// listed lists the tools of a pool with the sizes of their definitions.
func (p *program) listed(pool *pegboard.Pool) string {
	var now, later strings.Builder
	total, all, deferred := 0, 0, 0
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range pool.Declarations(part) {
			size := len(d.Description) + len(d.InputSchema)
			row := fmt.Sprintf("  %-24s %7d\n", d.Name, size)
			if d.Deferred {
				deferred++
				later.WriteString(row)
				continue
			}
			all, total = all+1, total+size
			now.WriteString(row)
		}
	}
	text := fmt.Sprintf("%s, %d bytes\n%s", p.colour(bold, count(all, "tool")), total, now.String())
	if deferred > 0 {
		text += fmt.Sprintf("%s until ToolSearch has found them\n%s", p.colour(bold, fmt.Sprintf("%d more", deferred)), later.String())
	}
	return text
}

// absent lists the well-known tools that are not in the pool.
func (p *program) absent(pool *pegboard.Pool) string {
	var b strings.Builder
	reasons := map[string]string{}
	for _, x := range pool.Excluded() {
		reasons[x.Name] = x.Reason
	}
	var served []string
	for _, name := range slices.Sorted(slices.Values(pegboard.BuiltinNames())) {
		if _, ok := pool.Lookup(name); ok {
			continue
		}
		if why, ok := reasons[name]; ok {
			fmt.Fprintf(&b, "  %-24s %s\n", name, pegboard.OneLine(why))
		} else {
			served = append(served, name)
		}
	}
	if len(served) > 0 {
		fmt.Fprintf(&b, "  for programs that add them, with a model or a service: %s\n", strings.Join(served, ", "))
	}
	return p.colour(bold, "absent") + "\n" + b.String()
}

// serversOf lists the MCP servers.
func serversOf(l *settings.Loaded) string {
	var b strings.Builder
	for _, s := range l.Servers {
		fmt.Fprintf(&b, "  %-24s %s (%s)\n", s.Name, s.Approval, pegboard.OneLine(s.Why))
	}
	if b.Len() == 0 {
		return ""
	}
	return "MCP servers\n" + b.String()
}
