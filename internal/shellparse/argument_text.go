package shellparse

import (
	"path"
	"slices"
	"strings"
)

// source and unquoted are the two ways to write an argument.
func source(a arg) string { return a.source }

func unquoted(a arg) string {
	if a.known {
		return a.value
	}
	return a.source
}

// join writes arguments with one blank between them. The arguments that come of
// one word are written once.
func join(args []arg, as func(arg) string) string {
	if len(args) == 1 && !args[0].cont {
		return as(args[0])
	}
	var b strings.Builder
	size := 0
	for _, a := range args {
		size += 1 + len(a.source)
	}
	b.Grow(size)
	for i, a := range args {
		if i > 0 {
			if a.cont && args[i-1].cont && a.source == args[i-1].source {
				continue
			}
			if a.isFed() {
				continue
			}
			b.WriteByte(' ')
		}
		if a.cont {
			b.WriteString(a.source)
			continue
		}
		b.WriteString(as(a))
	}
	return b.String()
}

// endOf is join of the sources of arguments, without a copy if that is how a text
// ends.
func endOf(text string, args []arg) string {
	rest := text
	for i, a := range slices.Backward(args) {
		before, ok := strings.CutSuffix(rest, a.source)
		if ok && i > 0 {
			before, ok = strings.CutSuffix(before, " ")
		}
		if !ok || a.cont || a.isFed() {
			return join(args, source)
		}
		rest = before
	}
	return text[len(rest):]
}

// joinAll writes a command with the assignments before it.
func joinAll(assigns []assign, args []arg) string {
	texts := make([]string, 0, len(assigns)+1)
	for _, a := range assigns {
		texts = append(texts, a.source)
	}
	if len(args) > 0 {
		texts = append(texts, join(args, source))
	}
	return strings.Join(texts, " ")
}

// tidy removes the inner texts and the paths that say nothing new.
func (c *Command) tidy() {
	kept := c.Inner[:0]
	for _, text := range c.Inner {
		if text != "" && text != c.Text && !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	c.Inner = kept
	var hosts []string
	for _, host := range c.Hosts {
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	c.Hosts = hosts
	if len(c.Paths) < 2 || !slices.ContainsFunc(c.Paths, func(p Path) bool { return p.Maybe }) {
		return
	}
	seen := map[Path]bool{}
	c.Paths = slices.DeleteFunc(c.Paths, func(p Path) bool {
		maybe := p.Maybe
		p.Maybe = false
		again := seen[p] && maybe
		seen[p] = true
		return again
	})
}

// spellings adds the texts by which rules that deny know a command. low is the name
// of its program.
func (c *Command) spellings(args []arg, low string) {
	name := args[0].value
	plain := !slices.ContainsFunc(args, func(a arg) bool { return a.value != a.source })
	global := low == "git" && len(args) > 1 && strings.HasPrefix(args[1].value, "-")
	sub, dashed := strings.CutPrefix(low, "git-")
	if plain && name == low && !global && !dashed {
		return
	}
	values := joinValues(args)
	c.Inner = append(c.Inner, values)
	if slices.ContainsFunc(args, func(a arg) bool { return a.cont }) {
		c.Inner = append(c.Inner, join(args, unquoted))
	}
	if name == "" {
		return
	}
	rest := strings.TrimPrefix(values, name)
	if name != low {
		c.Inner = append(c.Inner, path.Base(name)+rest, low+rest)
	}
	if dashed {
		c.Inner = append(c.Inner, "git "+sub+rest)
	}
	if more := join(args[1:], source); more != "" {
		c.Inner = append(c.Inner, low+" "+more)
	}
	if global {
		c.Inner = append(c.Inner, "git "+joinValues(gitCommand(args[1:])))
	}
}

// joinValues writes arguments without their quotes, and those that come of one
// word each.
func joinValues(args []arg) string {
	values := make([]string, 0, len(args))
	for _, a := range args {
		if !a.isFed() {
			values = append(values, unquoted(a))
		}
	}
	return strings.Join(values, " ")
}

// gitCommand are the arguments of git without the options before its command.
func gitCommand(args []arg) []arg {
	for len(args) > 0 && args[0].known && strings.HasPrefix(args[0].value, "-") {
		n := 1
		switch args[0].value {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--exec-path", "--attr-source":
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}
