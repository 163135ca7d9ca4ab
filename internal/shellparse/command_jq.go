package shellparse

import "strings"

// The options of jq. Those that read a program or a module are left out. Source: jq 1.8
// manual, invoking jq.
const (
	jqLetters = "nrRscCMSaje"
	jqAlone   = "--null-input --raw-input --slurp --compact-output --raw-output --raw-output0 --join-output --ascii-output" +
		" --sort-keys --color-output --monochrome-output --tab --unbuffered --stream --stream-errors --seq --exit-status" +
		" --help --version --build-configuration"
	jqTwo   = "--arg --argjson"
	jqFiles = "--slurpfile --rawfile"
)

// jqEffect parses the arguments of jq, which has flags with two values.
func jqEffect(args []arg) effect {
	var e effect
	var program *arg
	for i := 0; i < len(args); i++ {
		a := args[i]
		name := a.value
		switch {
		case a.is("--"): // the versions since 1.5 disagree about the words after it
			e.worsen(Unknown, "jq reads -- in several ways")
		case a.is("--indent"):
			i++
			if i == len(args) || !args[i].isLiteral() || !isDigits(args[i].value) {
				e.worsen(Unknown, "the value of --indent is not known")
			}
		case a.isLiteral() && (has(jqTwo, name) || has(jqFiles, name)):
			i += 2
			if i >= len(args) || args[i].mayBeSeveral() || args[i-1].mayBeSeveral() {
				e.worsen(Unknown, "the values of "+name+" are not known")
			} else if has(jqFiles, name) {
				e.addRead(args[i])
			}
		case a.isLiteral() && has(jqAlone, name):
		case a.isLiteral() && len(name) > 1 && name[0] == '-' && strings.Trim(name[1:], jqLetters) == "":
		case a.isLiteral() && len(name) > 1 && name[0] == '-':
			e.worsen(Unknown, "the flag "+name+" is not known")
		case a.mayBeFlag():
			e.worsen(Unknown, a.source+" may become a flag")
			e.addRead(a)
		case program == nil:
			program = &args[i]
		default:
			e.addRead(a)
		}
	}
	switch {
	case program == nil:
	case !program.isLiteral():
		e.worsen(Unknown, "the program of jq is not known")
	case !jqOnlyReads(program.value):
		e.worsen(Unknown, "the program of jq may do more than change its input")
	}
	return e
}

// jqForbidden are the names by which a jq program sees the environment or files.
const jqForbidden = "env $ENV import include modulemeta get_search_list $__prog_args"

// jqOnlyReads reports whether a jq program only transforms its input.
func jqOnlyReads(program string) bool {
	p := jqProgram{program}
	return p.read(0) && p.text == ""
}

// A jqProgram is the unread rest of a program.
type jqProgram struct{ text string }

// read reads up to the parenthesis that ends an interpolation. At depth 0 it reads to
// the end.
func (p *jqProgram) read(depth int) bool {
	if depth > 10 {
		return false
	}
	open := 0
	for before := byte(0); p.text != ""; {
		c := p.text[0]
		switch {
		case c == '"':
			p.text = p.text[1:]
			if !p.quoted(depth) {
				return false
			}
		case c == '#':
			return false // versions disagree about where a comment ends
		case c == '$' || isName(p.text[:1]):
			if name := p.name(); has(jqForbidden, name) && (before != '.' || c == '$') {
				return false
			}
		default:
			p.text = p.text[1:]
			if c == '(' {
				open++
			}
			if c == ')' {
				open--
				if open < 0 {
					return depth > 0
				}
			}
			if c == '.' && before == '.' {
				c = 0 // ".." is a value and does not begin a name
			}
		}
		before = c
	}
	return depth == 0
}

// name reads a name, including a $ before it.
func (p *jqProgram) name() string {
	n := 1
	for n < len(p.text) && isName(strings.TrimPrefix(p.text[:n+1], "$")) {
		n++
	}
	name := p.text[:n]
	p.text = p.text[n:]
	if name == "$" { // blanks may follow the $
		p.text = strings.TrimLeft(p.text, " \t\r\n")
		if p.text != "" && isName(p.text[:1]) {
			return "$" + p.name()
		}
	}
	return name
}

// quoted reads a string after its first quote, including interpolations.
func (p *jqProgram) quoted(depth int) bool {
	for p.text != "" {
		c := p.text[0]
		p.text = p.text[1:]
		switch {
		case c == '"':
			return true
		case c == '\\' && strings.HasPrefix(p.text, "("):
			p.text = p.text[1:]
			if !p.read(depth + 1) {
				return false
			}
		case c == '\\' && p.text != "":
			p.text = p.text[1:]
		}
	}
	return false
}
