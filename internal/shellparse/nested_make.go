package shellparse

import "strings"

// inspectMake adds the commands in the arguments of make: in the variables that it is
// given, and in rules of --eval. Rules that the line makes itself are not seen.
func (w *walker) inspectMake(c *Command, args []arg) {
	for i, a := range args {
		name, value, attached := strings.Cut(a.value, "=")
		switch {
		case !a.known && (strings.Contains(a.source, "=") || (file{arg: a}).isProcessSubst()):
			c.RunsUnseen = true
		case (file{arg: a}).isProcessSubst(), isStandardStream(a.value) && a.value != "/dev/null", a.is("-f-"),
			a.is("-") && i > 0 && (args[i-1].is("-f", "--file", "--makefile") || strings.HasSuffix(args[i-1].value, "f")):
			c.RunsUnseen = true
		case attached && !strings.HasPrefix(name, "-"), len(name) > len("--e") && strings.HasPrefix("--eval", name) && attached:
			w.guessVariable(c, strings.TrimRight(name, ":+?!"), a.withValue(value))
		case len(name) > len("--e") && strings.HasPrefix("--eval", name) && i+1 < len(args), a.is("-E") && i+1 < len(args):
			w.guessVariable(c, "--eval", args[i+1])
		}
	}
}
